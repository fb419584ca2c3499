/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_server.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/agent_calls.h"
#include "agent/agent_files.h"
#include "agent/agent_privileges.h"
#include "agent/agent_selftest.h"
#include "agent/fair_share.h"
#include "agent/peer.h"
#include "agent/watch_permission.h"
#include "base/clock.h"

#define CONNECTIONS_MAX 128u
#define OF_USERS_MAX    96u /* the rest is kept for root */
#define SILENCE_NS      (10 * NS_PER_SECOND)
#define LISTEN_FD       0
#define SIGNAL_FD       1
#define FIRST_PEER      2

struct agent_server {
    struct peer_house house;
    struct pollfd polled[FIRST_PEER + CONNECTIONS_MAX];
    struct peer peers[CONNECTIONS_MAX];
    nfds_t count; /* of polled */
};

/* Whether somebody answers at the path; what a dead agent left is taken away. */
static int clear_path(const struct sockaddr_un *address, struct fault *fault)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int err = fd < 0 ? -errno : 0;
    if (err == 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0)
        err = -errno;
    if (fd >= 0)
        close(fd);
    if (err == 0 || err == -EAGAIN)
        return fault_set(fault, -EADDRINUSE,
                         "another agent already serves %s: one agent is enough for a machine",
                         address->sun_path);
    if (err == -ECONNREFUSED)
        unlink(address->sun_path);
    return 0;
}

static void find_folder(const char *path, char folder[PATH_MAX])
{
    snprintf(folder, PATH_MAX, "%s", path);
    char *last = strrchr(folder, '/');
    if (!last)
        strcpy(folder, ".");
    else
        last[last == folder] = '\0';
}

static int make_folder(const char *path)
{
    char folder[PATH_MAX];
    find_folder(path, folder);
    return mkdir(folder, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

static int give_to_group(const char *path, const char *name, struct fault *fault)
{
    struct group *group = name ? getgrnam(name) : NULL;
    if (name && !group)
        return fault_set(fault, -ENOENT,
                         "there is no group \"%.60s\": make it with addgroup --system %.60s", name,
                         name);
    if (group && lchown(path, (uid_t)-1, group->gr_gid) < 0)
        return fault_set(fault, -errno, "%s cannot be given to the group %s: %s", path, name,
                         strerror(errno));
    return 0;
}

static int open_socket(const struct agent_options *options, struct fault *fault)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(options->socket) >= sizeof(address.sun_path))
        return fault_set(fault, -ENAMETOOLONG, "the path of the socket is too long: %s",
                         options->socket);
    strcpy(address.sun_path, options->socket);
    int err = clear_path(&address, fault);
    if (err < 0)
        return err;
    err = make_folder(options->socket);
    int fd = err < 0 ? -1 : socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mode_t mask = umask(0117); /* the socket is 0660 from its first instant */
    if (fd >= 0 &&
        (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(fd, 64) < 0)) {
        err = -errno;
        close(fd);
        fd = -1;
    }
    umask(mask);
    if (fd < 0)
        return fault_set(fault, err < 0 ? err : -errno, "cannot listen at %s: %s", options->socket,
                         strerror(err < 0 ? -err : errno));
    err = give_to_group(options->socket, options->group, fault);
    if (err == 0)
        return fd;
    close(fd);
    unlink(options->socket);
    return err;
}

static int open_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

static bool may_connect(const struct agent_server *server, uid_t user)
{
    struct share_count count = {.of_users = OF_USERS_MAX};
    for (nfds_t i = FIRST_PEER; i < server->count; i++)
        share_count_one(&count, server->peers[i - FIRST_PEER].who.uid, user);
    return is_fair_share(&count, user);
}

static void accept_peer(struct agent_server *server)
{
    int fd = accept4(server->polled[LISTEN_FD].fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return;
    if (server->count == FIRST_PEER + CONNECTIONS_MAX) {
        close(fd);
        return;
    }
    struct peer *peer = &server->peers[server->count - FIRST_PEER];
    if (peer_begin(peer, fd, monotonic_ns()) < 0)
        return;
    if (!may_connect(server, peer->who.uid)) {
        close(fd);
        return;
    }
    server->polled[server->count++] = (struct pollfd){.fd = fd, .events = POLLIN};
}

static void end_peer(struct agent_server *server, nfds_t at)
{
    nfds_t const last = --server->count;
    peer_end(&server->peers[at - FIRST_PEER], &server->house);
    server->peers[at - FIRST_PEER] = server->peers[last - FIRST_PEER];
    server->polled[at] = server->polled[last];
}

static bool is_over(struct agent_server *server, nfds_t at)
{
    struct peer *peer = &server->peers[at - FIRST_PEER];
    if (server->polled[at].revents && !peer_serve(peer, &server->house))
        return true;
    return !peer->is_greeted && monotonic_ns() - peer->since_ns > SILENCE_NS;
}

static void serve_peers(struct agent_server *server)
{
    while (poll(server->polled, server->count, 5000) >= 0 || errno == EINTR) {
        if (server->polled[SIGNAL_FD].revents)
            return;
        for (nfds_t i = server->count; i-- > FIRST_PEER;)
            if (is_over(server, i))
                end_peer(server, i);
        if (server->polled[LISTEN_FD].revents)
            accept_peer(server);
    }
}

static void serve_and_tidy(struct agent_server *server, const struct agent_options *options,
                           const char *no_time)
{
    if (options->ready)
        options->ready(options, no_time);
    serve_peers(server);
    while (server->count > FIRST_PEER)
        end_peer(server, server->count - 1);
    close(server->polled[LISTEN_FD].fd);
    unlink(options->socket);
}

/* All that is not needed to serve is given up: files, capabilities, system calls. */
static int confine(const struct agent_options *options, struct fault *fault)
{
    char folder[PATH_MAX];
    find_folder(options->socket, folder);
    int err = agent_drop_privileges(options->user, fault);
    if (err == 0)
        err = agent_limit_files(options->proc, folder, fault);
    return err < 0 ? err : agent_limit_calls(fault);
}

int agent_serve(const struct agent_options *options, struct fault *fault)
{
    struct agent_server server = {.house = {.proc = options->proc}, .count = FIRST_PEER};
    agent_allow_descriptors();
    server.house.kernel = kernel_side_open(fault);
    if (!server.house.kernel)
        return fault ? fault->code : -EIO;
    int signals = open_signals();
    struct fault no_time = {0};
    int err =
        signals < 0 ? -errno : agent_selftest(server.house.kernel, options->proc, &no_time, fault);
    int fd = err < 0 ? err : open_socket(options, fault);
    if (fd >= 0 && (err = confine(options, fault)) < 0) {
        close(fd);
        fd = err;
    }
    if (fd >= 0) {
        server.polled[LISTEN_FD] = (struct pollfd){.fd = fd, .events = POLLIN};
        server.polled[SIGNAL_FD] = (struct pollfd){.fd = signals, .events = POLLIN};
        serve_and_tidy(&server, options, no_time.text);
    }
    if (signals >= 0)
        close(signals);
    kernel_side_close(server.house.kernel);
    return fd < 0 ? fd : 0;
}
