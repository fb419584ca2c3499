/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/threads/borrow.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "inject/choice/target_find.h"
#include "procfs/process/process_named.h"
#include "target.h"

/* What borrows runs in a process of its own, whose end lets go of all it held. */
#define NEED(condition)                                                                            \
    if (!(condition)) {                                                                            \
        print_message("line %d: %s\n", __LINE__, #condition);                                      \
        _exit(1);                                                                                  \
    }

struct reached {
    struct remote_memory memory;
    struct module_client modules;
    struct code_spots spots;
    uint64_t errno_location, getppid;
};

static struct borrowed_thread borrowed;
static struct fault fault;

static void reach_and_borrow(struct reached *target, pid_t pid)
{
    struct borrow_report report = {0};
    NEED(remote_memory_open(&target->memory, pid) == 0);
    NEED(module_client_open(&target->modules, pid, &target->memory, slice_of("")) == 0);
    NEED(module_client_await_libc(&target->modules, 20000000000ull) == 0);
    NEED(module_client_spots(&target->modules, &target->spots, &fault) == 0);
    target->errno_location =
        module_client_function(&target->modules, MODULE_IN_LIBC, "__errno_location");
    target->getppid = module_client_function(&target->modules, MODULE_IN_LIBC, "getppid");
    struct borrow_wish wish = {&target->modules, &target->spots, 20000000000ull, NULL};
    if (borrow_thread(&wish, &borrowed, &report, &fault) < 0) {
        print_message("%s\n", fault.text);
        _exit(1);
    }
}

/* The exit status of `body` in a child; -1 when it was killed. */
static int in_child(void (*body)(pid_t), pid_t pid)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        body(pid);
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void call_the_kernel(pid_t pid)
{
    struct reached target;
    int64_t result = 0;
    reach_and_borrow(&target, pid);
    NEED(borrowed_syscall(&borrowed, SYS_getpid, (uint64_t[6]){0}, &result, &fault) == 0 &&
         result == pid);
    NEED(borrowed_syscall(&borrowed, SYS_close, (uint64_t[6]){12345}, &result, &fault) == 0 &&
         result == -EBADF);
    borrowed_end(&borrowed);
}

TEST(a_sleeping_process_calls_the_kernel_for_us)
{
    pid_t pid = target_start((char *const[]){"sh", "-c", "echo; exec sleep 60", NULL});
    while (!process_is_named((uint32_t)pid, "sleep"))
        usleep(1000);
    CHECK(in_child(call_the_kernel, pid) == 0);
    CHECK(waitpid(pid, NULL, WNOHANG) == 0); /* it still sleeps */
    target_end(pid);
}

static void run_steps(pid_t pid)
{
    struct reached target;
    reach_and_borrow(&target, pid);
    NEED(borrowed_make_room(&borrowed, target.errno_location, &fault) == 0);
    struct borrowed_step steps[] = {
        {target.getppid, 0, {0}}, {0, SYS_getpid, {0}}, {0, SYS_close, {99999}}};
    NEED(borrowed_run(&borrowed, steps, 3, &fault) == 0);
    NEED(steps[0].number == (uint64_t)getppid() && steps[1].number == (uint64_t)pid);
    NEED((int64_t)steps[2].number == -EBADF);
    borrowed_end(&borrowed);
}

static void crash(pid_t pid)
{
    struct reached target;
    uint64_t result;
    reach_and_borrow(&target, pid);
    NEED(borrowed_make_room(&borrowed, 0, &fault) == 0);
    NEED(borrowed_call(&borrowed, 16, (uint64_t[3]){0}, &result, &fault) == -EFAULT);
    borrowed_end(&borrowed);
}

TEST(several_steps_run_in_a_row_and_a_crash_is_undone)
{
    pid_t pid = target_start_watchful();
    for (int i = 0; i < 5; i++)
        CHECK(in_child(run_steps, pid) == 0 && in_child(crash, pid) == 0);
    CHECK(target_finish(pid) == 0);
}

static void die_calling_the_kernel(pid_t pid)
{
    struct reached target;
    reach_and_borrow(&target, pid);
    borrowed_syscall(&borrowed, SYS_getpid, (uint64_t[6]){0}, &(int64_t){0}, &fault);
    kill(getpid(), SIGKILL);
}

static void die_with_room(pid_t pid)
{
    struct reached target;
    reach_and_borrow(&target, pid);
    borrowed_make_room(&borrowed, target.errno_location, &fault);
    kill(getpid(), SIGKILL);
}

static void die_with_something_to_tidy(pid_t pid)
{
    struct reached target;
    struct borrowed_step step = {0, SYS_dup, {1}};
    reach_and_borrow(&target, pid);
    borrowed_make_room(&borrowed, target.errno_location, &fault);
    borrowed_run(&borrowed, &step, 1, &fault);
    struct borrowed_step tidy = {0, SYS_close, {step.number}};
    borrowed_tidy_later(&borrowed, &tidy, 1);
    kill(getpid(), SIGKILL);
}

/* The borrower dies while the thread works for it: the thread puts itself back and keeps
 * nothing. */
TEST(a_borrower_that_dies_does_no_harm)
{
    void (*const deaths[])(pid_t) = {die_calling_the_kernel, die_with_room,
                                     die_with_something_to_tidy};
    pid_t pid = target_start_watchful();
    struct target_size before = target_measure(pid), after;
    for (int i = 0; i < 30; i++)
        CHECK(in_child(deaths[i % 3], pid) == -1);
    after = target_measure(pid);
    CHECK(after.maps == before.maps && after.descriptors == before.descriptors);
    CHECK(after.threads == before.threads && after.kib == before.kib);
    CHECK(target_finish(pid) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sleeping_process_calls_the_kernel_for_us),
        cmocka_unit_test(several_steps_run_in_a_row_and_a_crash_is_undone),
        cmocka_unit_test(a_borrower_that_dies_does_no_harm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
