/* SPDX-License-Identifier: Apache-2.0 */
/* burns_in_children COUNT MS [exec]: as many children one after the other, each of which works
 * so long and ends; with `exec` as another program (this one, called with `child`).  Tells how
 * much processor time they had together. */
#include "cpu_subject.h"

#include <sys/resource.h>
#include <sys/wait.h>

static NOINLINE void child_works(unsigned ms)
{
    uint64_t const until = now_ns(CLOCK_PROCESS_CPUTIME_ID) + ms * 1000000ull;
    while (now_ns(CLOCK_PROCESS_CPUTIME_ID) < until)
        spin(50);
    KEEP_FRAME();
}

int main(int argc, char **argv)
{
    struct rusage usage;
    if (argc < 3)
        return 1;
    if (strcmp(argv[1], "child") == 0) {
        child_works((unsigned)atoi(argv[2]));
        return 0;
    }
    say_and_wait("ready");
    for (int i = 0; i < atoi(argv[1]); i++) {
        pid_t const child = fork();
        if (child == 0) {
            if (argc > 3)
                execl("/proc/self/exe", "worker", "child", argv[2], NULL);
            child_works((unsigned)atoi(argv[2]));
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    getrusage(RUSAGE_CHILDREN, &usage);
    say("children %llu\n",
        1000ull * ((unsigned long long)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000u +
                   (unsigned long long)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)));
    say_and_wait("done");
    return 0;
}
