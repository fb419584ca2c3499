/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/net/net_wait.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/terminal.h"

static int signals = -1;

void net_catch_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Whether a signal came within this time. */
static bool signal_within(int ms)
{
    struct pollfd poll_one = {.fd = signals, .events = POLLIN};
    return poll(&poll_one, 1, ms) > 0;
}

static void show(const struct net *net)
{
    if (!isatty(STDERR_FILENO))
        return;
    terminal_clear_line();
    fprintf(stderr, "%zu of %zu nodes ready ", net_count(net, PART_NODE, PART_READY),
            net_count(net, PART_NODE, PART_PLANNED));
}

static void end_show(void)
{
    if (isatty(STDERR_FILENO))
        terminal_clear_line();
}

static int tell_failure(const struct net *net, struct fault *fault)
{
    return fault_set(fault, -ECHILD, "%s; the network was ended",
                     net->why ? net->why : "the keeper was ended by a signal");
}

int net_wait_until_up(const char *dir, pid_t keeper, struct net *net, struct fault *fault)
{
    for (;;) {
        bool const gone = waitpid(keeper, NULL, WNOHANG) == keeper;
        int const err = net_read(net, dir, fault);
        if (err)
            return err;
        if (net->state == NET_UP) {
            end_show();
            return 0;
        }
        show(net);
        if (gone) {
            end_show();
            int const failed =
                net->state == NET_FAILED || net->state == NET_DOWN
                    ? tell_failure(net, fault)
                    : fault_set(fault, -ECHILD, "the keeper has ended; %s/keeper.log may say why",
                                dir);
            net_fini(net);
            return failed;
        }
        net_fini(net);
        if (signal_within(50)) {
            end_show();
            return fault_set(fault, -EINTR, "interrupted; the network was ended");
        }
    }
}

void net_wait_for(uint64_t ns, pid_t keeper)
{
    uint64_t const end = monotonic_ns() + ns;
    while (!keeper || waitpid(keeper, NULL, WNOHANG) == 0) {
        uint64_t const now = monotonic_ns();
        uint64_t const left = now < end ? (end - now) / 1000000 + 1 : 0;
        if (left == 0 || signal_within(left < 500 ? (int)left : 500))
            return;
    }
}
