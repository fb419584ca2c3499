/* SPDX-License-Identifier: Apache-2.0 */
/* limits_itself MIB [SECONDS]: waits, limits its own address space to so much, and prints how
 * many MiB it gets then. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "subject.h"

static NOINLINE void *allocate(void *before)
{
    void **block = malloc(1 << 20);
    if (block)
        *block = before;
    return block;
}

int main(int count, char **words)
{
    rlim_t const bytes = (rlim_t)strtoul(count > 1 ? words[1] : "200", NULL, 10) << 20;
    struct rlimit const limit = {bytes, bytes};
    void *last = malloc(10);
    unsigned got = 0;
    if (count > 2)
        sleep((unsigned)strtoul(words[2], NULL, 10));
    /* As prlimit(1) would from outside: no function of libc is called. */
    long const err = count > 3 ? syscall(SYS_prlimit64, 0, RLIMIT_AS, &limit, NULL)
                               : setrlimit(RLIMIT_AS, &limit);
    if (err < 0)
        return 1;
    while ((last = allocate(last)))
        got++;
    dprintf(1, "%u\n", got);
    _exit(0);
}
