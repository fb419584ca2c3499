/* SPDX-License-Identifier: Apache-2.0 */
/* burns_in_signals SECONDS: two thousand signals a second, whose handler works; between them
 * between() does.  Tells how much of its processor time was in the handler. */
#include "cpu_subject.h"

#include <signal.h>
#include <sys/time.h>

static volatile uint64_t handled;

static NOINLINE void handler_works(void)
{
    spin(300);
    KEEP_FRAME();
}

static void on_signal(int number)
{
    (void)number;
    uint64_t const began = now_ns(CLOCK_THREAD_CPUTIME_ID);
    handler_works();
    handled += now_ns(CLOCK_THREAD_CPUTIME_ID) - began;
}

static NOINLINE void between(uint64_t until)
{
    while (now_ns(CLOCK_MONOTONIC) < until)
        spin(100);
    KEEP_FRAME();
}

int main(int argc, char **argv)
{
    struct itimerval const often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    say_and_wait("ready");
    uint64_t const used = now_ns(CLOCK_THREAD_CPUTIME_ID);
    signal(SIGALRM, on_signal);
    setitimer(ITIMER_REAL, &often, NULL);
    between(now_ns(CLOCK_MONOTONIC) + (uint64_t)(argc > 1 ? atoi(argv[1]) : 1) * 1000000000u);
    setitimer(ITIMER_REAL, &never, NULL);
    say("handler %llu\nall %llu\n", (unsigned long long)handled,
        (unsigned long long)(now_ns(CLOCK_THREAD_CPUTIME_ID) - used));
    say_and_wait("done");
    return 0;
}
