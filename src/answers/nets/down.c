/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/down.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nets/keeper.h"
#include "nets/process.h"

bool net_is_kept(const struct net *net)
{
    return process_is(net->keeper, net->keeper_born);
}

/* Asks the keeper and waits for its end, however long its nodes take. */
static int ask_keeper(const struct net *net, struct fault *fault)
{
    int const fd = (int)syscall(SYS_pidfd_open, net->keeper, 0);
    struct pollfd ended = {.fd = fd, .events = POLLIN};
    int err = 0;
    if (fd < 0)
        return errno == ESRCH ? 0 : -errno;
    if (net_is_kept(net) && syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0) != 0)
        err = fault_set(fault, -errno, "cannot end the keeper (PID %u): %s", net->keeper,
                        strerror(errno));
    while (!err && net_is_kept(net))
        poll(&ended, 1, 1000);
    close(fd);
    return err;
}

int net_bring_down(const char *dir, struct net *net, say_fn say, struct fault *fault)
{
    int err = net_read(net, dir, fault);
    if (err)
        return err;
    if (net_is_kept(net))
        err = ask_keeper(net, fault);
    net_fini(net);
    if (!err)
        err = net_read(net, dir, fault);
    bool const unfinished = !err && net->state != NET_DOWN && net->state != NET_FAILED;
    if (!err && (unfinished || net_signal_all(net, NULL, 0) > 0)) {
        net_fini(net);
        err = keeper_end(dir, say, fault);
        if (!err)
            err = net_read(net, dir, fault);
    }
    return err;
}
