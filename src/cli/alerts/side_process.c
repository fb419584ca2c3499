/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/alerts/side_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "keeper/keeper_serve.h"
#include "sandbox/line.h"
#include "sandbox/sandbox.h"

#define NS_PER_MS UINT64_C(1000000)

static _Noreturn void become(int line, const char *name,
                             void (*work)(int line, const void *context), const void *context)
{
    int const nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    keeper_become();
    prctl(PR_SET_NAME, name);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO); /* whoever reads it shall not wait for this process */
    sandbox_close_others(line);
    work(line, context);
    _exit(0);
}

/* In a child that ends at once: the children of a recorder are the program and its like. */
static int fork_twice(int line, const char *name, void (*work)(int line, const void *context),
                      const void *context)
{
    int status = -1;
    fflush(NULL);
    pid_t const between = fork();
    if (between == 0) {
        pid_t const pid = fork();
        if (pid == 0)
            become(line, name, work, context);
        _exit(pid > 0 ? 0 : 1);
    }
    int const err = between < 0 ? -errno : 0;
    while (between > 0 && waitpid(between, &status, 0) < 0 && errno == EINTR)
        ;
    return err ? err : status == 0 ? 0 : -EAGAIN;
}

int side_process_begin(const char *name, void (*work)(int line, const void *context),
                       const void *context)
{
    int ends[2];
    int err = line_open(ends);
    if (err)
        return err;
    err = fork_twice(ends[0], name, work, context);
    close(ends[0]);
    if (!err && fcntl(ends[1], F_SETFL, O_NONBLOCK) < 0)
        err = -errno;
    if (err)
        close(ends[1]);
    return err ? err : ends[1];
}

int side_process_tell(int line, const void *message, size_t size)
{
    return line_send(line, message, size, NULL, 0);
}

bool side_process_wait(int line, unsigned wait_ms)
{
    uint64_t const end = monotonic_ns() + wait_ms * NS_PER_MS;
    struct pollfd word = {.fd = line, .events = POLLIN};
    for (;;) {
        uint64_t const now = monotonic_ns();
        int const left = now < end ? (int)((end - now) / NS_PER_MS) : 0;
        int const ready = poll(&word, 1, left);
        if (ready > 0)
            return true;
        if (left == 0 || (ready < 0 && errno != EINTR))
            return false;
    }
}

void side_process_close(int line)
{
    shutdown(line, SHUT_WR);
}

void side_process_end(int line, unsigned wait_ms)
{
    char nothing;
    side_process_close(line);
    if (side_process_wait(line, wait_ms))
        (void)line_receive(line, &nothing, sizeof(nothing), NULL); /* its end */
    close(line);
}
