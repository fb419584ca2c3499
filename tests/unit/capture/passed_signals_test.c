/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/programs/passed_signals.h"

#include <signal.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static int number_of(int i)
{
    return SIGRTMIN + 1 + i % 2;
}

/* The value that the next one of a number came with, which waits already; -1: none does. */
static intptr_t next_of(int number)
{
    struct timespec const at_once = {0};
    siginfo_t about;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    return sigtimedwait(&set, &about, &at_once) == number ? (intptr_t)about.si_value.sival_ptr : -1;
}

TEST(each_real_time_signal_has_its_own_value)
{
    for (int i = 0; i < 10; i++)
        passed_signals_keep(number_of(i), (void *)(intptr_t)(100 + i));
    passed_signals_send(getpid());
    for (int i = 0; i < 10; i++)
        CHECK(next_of(number_of(i)) == 100 + i);
    passed_signals_send(getpid());
    CHECK(next_of(number_of(0)) == -1 && next_of(number_of(1)) == -1);
}

TEST(of_other_signals_one_is_passed_on)
{
    passed_signals_keep(SIGUSR1, NULL);
    passed_signals_keep(SIGUSR1, NULL);
    passed_signals_send(getpid());
    CHECK(next_of(SIGUSR1) == 0);
    CHECK(next_of(SIGUSR1) == -1);
}

TEST(none_is_dropped_when_too_many_wait)
{
    int const more = PASSED_SIGNALS_QUEUED + 20;
    for (int i = 0; i < more; i++)
        passed_signals_keep(number_of(0), (void *)(intptr_t)i);
    passed_signals_send(getpid());
    for (int i = 0; i < more; i++)
        CHECK(next_of(number_of(0)) == (i < (int)PASSED_SIGNALS_QUEUED ? i : more - 1));
    CHECK(next_of(number_of(0)) == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_real_time_signal_has_its_own_value),
        cmocka_unit_test(of_other_signals_one_is_passed_on),
        cmocka_unit_test(none_is_dropped_when_too_many_wait),
    };
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
