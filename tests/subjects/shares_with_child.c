/* SPDX-License-Identifier: Apache-2.0 */
/* Shares MIB (32 unless told) with its child: the child has them first, so half of them is the
 * most that it has for itself at any time.  Then it says its pid and stands still until somebody
 * ends it. */
#include "subject.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

int main(int argc, char **argv)
{
    size_t const bytes = (size_t)(argc > 1 ? atol(argv[1]) : 32) << 20;
    char *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int done[2];
    char byte = 0;
    if (shared == MAP_FAILED || pipe(done) < 0)
        return 1;
    pid_t const child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        memset(shared, 1, bytes);
        if (write(done[1], &byte, 1) < 1)
            return 1;
        for (;;)
            pause();
    }
    if (child < 0 || read(done[0], &byte, 1) < 1)
        return 1;
    memset(shared, 2, bytes);
    say("%d\n", getpid());
    for (;;)
        pause();
}
