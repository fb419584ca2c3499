/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/threads/thread_stop.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define ROUNDS 50

/* A child that waits in a call which Linux ends with EINTR after a stop, and exits when that
 * happens. */
static pid_t start_waiting(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct epoll_event event;
        int const fd = epoll_create1(0);
        _exit(epoll_wait(fd, &event, 1, -1) < 0 && errno == EINTR ? 4 : 5);
    }
    usleep(20000);
    return pid;
}

static bool still_waits(pid_t pid)
{
    int status;
    usleep(1000);
    return waitpid(pid, &status, WNOHANG) == 0;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

TEST(a_stopped_thread_goes_on_waiting)
{
    pid_t const pid = start_waiting();
    for (int i = 0; i < ROUNDS; i++) {
        struct stopped_thread thread;
        CHECK(thread_stop(pid, 1000000000, &thread) == 0);
        thread_release(&thread);
        CHECK(still_waits(pid));
    }
    end(pid);
}

TEST(a_thread_that_stopped_too_late_goes_on_waiting)
{
    pid_t const pid = start_waiting();
    int late = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct stopped_thread thread;
        int const err = thread_stop(pid, 0, &thread);
        CHECK(err == 0 || err == -EAGAIN);
        late += err == -EAGAIN;
        while (err == -EAGAIN && !thread_stop_forget(pid))
            usleep(100);
        if (err == 0)
            thread_release(&thread);
        CHECK(still_waits(pid));
    }
    CHECK(late > 0);
    end(pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stopped_thread_goes_on_waiting),
        cmocka_unit_test(a_thread_that_stopped_too_late_goes_on_waiting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
