/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/programs/passed_signals.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
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

static void catch_faults_only(void)
{
    struct sigaction const usual = {.sa_handler = SIG_DFL};
    struct rlimit const no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    for (int number = 1; number < SIGRTMIN; number++) /* those of a sanitizer, too */
        sigaction(number, &usual, NULL);
    passed_signals_catch_faults();
}

/* Ends with 0 when the signal came, and was passed on once. */
static _Noreturn void await(int number)
{
    sigset_t none;
    catch_faults_only();
    sigemptyset(&none);
    sigsuspend(&none);
    passed_signals_send(getpid());
    _exit(next_of(number) == 0 && next_of(number) == -1 ? 0 : 1);
}

/* Ends with 0 when nothing ended it. */
static _Noreturn void err_with(void (*err)(void))
{
    sigset_t none;
    catch_faults_only();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    err();
    _exit(0);
}

static int status_of(pid_t child)
{
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

static int status_after(void (*err)(void))
{
    pid_t const child = fork();
    if (child == 0)
        err_with(err);
    return status_of(child);
}

static void write_nowhere(void)
{
    char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *(volatile char *)page = 1;
}

static void write_too_much(void)
{
    struct rlimit const small = {1, 1};
    int const fd = memfd_create("too much", 0);
    if (setrlimit(RLIMIT_FSIZE, &small) < 0 || write(fd, "a", 1) != 1 || write(fd, "b", 1) != -1)
        _exit(1);
}

static void write_to_nobody(void)
{
    int ends[2];
    if (pipe(ends) < 0 || close(ends[0]) < 0 || write(ends[1], "a", 1) != -1)
        _exit(1);
}

TEST(a_fault_that_was_sent_is_passed_on)
{
    static const int faults[] = {SIGABRT, SIGBUS,  SIGFPE,  SIGILL,  SIGSEGV,
                                 SIGSYS,  SIGTRAP, SIGXCPU, SIGXFSZ, SIGPIPE};
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        pid_t const child = fork();
        if (child == 0)
            await(faults[i]);
        kill(child, faults[i]);
        CHECK(status_of(child) == 0);
    }
}

TEST(a_fault_of_its_own_ends_it)
{
    CHECK(WTERMSIG(status_after(write_nowhere)) == SIGSEGV);
    CHECK(WTERMSIG(status_after(abort)) == SIGABRT);
    CHECK(status_after(write_too_much) == 0);
    CHECK(status_after(write_to_nobody) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_real_time_signal_has_its_own_value),
        cmocka_unit_test(of_other_signals_one_is_passed_on),
        cmocka_unit_test(none_is_dropped_when_too_many_wait),
        cmocka_unit_test(a_fault_that_was_sent_is_passed_on),
        cmocka_unit_test(a_fault_of_its_own_ends_it),
    };
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
