/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/choice/wait_exec.h"

#include <dirent.h>
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"
#include "procfs/process/process_named.h"

#define LISTEN_MS 100
#define LOOK_NS   5000000l
#define QUEUED    (1 << 20) /* bytes of events: thousands of processes may start at once */

enum reading { AN_EVENT, NOTHING, EVENTS_LOST };

static enum reading read_event(int fd, int wait_ms, struct proc_event *event)
{
    char bytes[4096] __attribute__((aligned(8)));
    struct pollfd ready = {fd, POLLIN, 0};
    size_t const at = NLMSG_HDRLEN + sizeof(struct cn_msg);
    if (poll(&ready, 1, wait_ms) <= 0)
        return NOTHING;
    ssize_t size = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
    if (size < 0 && errno == ENOBUFS)
        return EVENTS_LOST;
    if (size <
        (ssize_t)(at + offsetof(struct proc_event, event_data) + sizeof(event->event_data.exec)))
        return NOTHING;
    memset(event, 0, sizeof(*event));
    size_t const given = (size_t)size - at;
    memcpy(event, bytes + at, given < sizeof(*event) ? given : sizeof(*event));
    return AN_EVENT;
}

static bool subscribe(int fd)
{
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
    enum proc_cn_mcast_op listen = PROC_CN_MCAST_LISTEN;
    union {
        struct nlmsghdr head;
        char bytes[NLMSG_SPACE(sizeof(struct cn_msg) + sizeof(listen))];
    } request = {.bytes = {0}};
    struct cn_msg *message = NLMSG_DATA(&request.head);
    request.head.nlmsg_len = NLMSG_LENGTH(sizeof(*message) + sizeof(listen));
    request.head.nlmsg_type = NLMSG_DONE;
    message->id = (struct cb_id){CN_IDX_PROC, CN_VAL_PROC};
    message->len = sizeof(listen);
    memcpy(message->data, &listen, sizeof(listen));
    if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
        send(fd, &request, request.head.nlmsg_len, 0) < 0)
        return false;
    /* In a pid namespace it never answers. */
    struct proc_event event;
    for (enum reading read; (read = read_event(fd, LISTEN_MS, &event)) != NOTHING;)
        if (read == AN_EVENT && event.what == PROC_EVENT_NONE)
            return event.event_data.ack.err == 0;
    return false;
}

/* A socket on which the kernel reports every exec; -1 when it does not. */
static int open_connector(void)
{
    int const queued = QUEUED;
    int fd = socket(PF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_CONNECTOR);
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &queued, sizeof(queued));
    if (fd >= 0 && !subscribe(fd)) {
        close(fd);
        return -1;
    }
    return fd;
}

struct known {
    VEC(uint32_t) pids; /* that go by the name */
};

static bool is_known(const struct known *known, uint32_t pid)
{
    vec_each (one, &known->pids)
        if (*one == pid)
            return true;
    return false;
}

/* Everybody of that name who is in none of `before`; they are `now`. */
static uint32_t look(const char *name, const struct known *before, struct known *now)
{
    uint32_t found = 0;
    DIR *folder = opendir("/proc");
    now->pids.count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        uint32_t pid = (uint32_t)strtoul(entry->d_name, NULL, 10);
        if (pid == 0 || !process_is_named(pid, name))
            continue;
        if (!is_known(before, pid))
            found = pid;
        (void)vec_push(&now->pids, pid);
    }
    if (folder)
        closedir(folder);
    return found;
}

/* Until a process of that name is in none of the lists before. */
static uint32_t look_again(const char *name, struct known lists[2], unsigned round)
{
    return look(name, &lists[round % 2], &lists[(round + 1) % 2]);
}

static bool is_exec_of(const struct proc_event *event, const char *name)
{
    return event->what == PROC_EVENT_EXEC &&
           process_is_named((uint32_t)event->event_data.exec.process_tgid, name);
}

/* On a busy machine the kernel may drop events: then all processes are looked at. */
static uint32_t listen_for(int fd, const char *name, const volatile sig_atomic_t *stop,
                           struct known lists[2])
{
    uint32_t found = 0;
    for (unsigned round = 0; !*stop && !found;) {
        struct proc_event event;
        enum reading const read = read_event(fd, LISTEN_MS, &event);
        if (read == AN_EVENT && is_exec_of(&event, name))
            found = (uint32_t)event.event_data.exec.process_tgid;
        else if (read == EVENTS_LOST)
            found = look_again(name, lists, round++);
    }
    return found;
}

static uint32_t look_for(const char *name, const volatile sig_atomic_t *stop, struct known lists[2])
{
    uint32_t found = 0;
    for (unsigned round = 0; !*stop && !found; round++) {
        nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
        found = look_again(name, lists, round);
    }
    return found;
}

int wait_exec(const char *name, const volatile sig_atomic_t *stop, pid_t *pid, struct fault *fault)
{
    struct known lists[2] = {{{0}}, {{0}}};
    int fd = open_connector();
    look(name, &lists[1], &lists[0]);
    uint32_t const found =
        fd >= 0 ? listen_for(fd, name, stop, lists) : look_for(name, stop, lists);
    vec_free(&lists[0].pids);
    vec_free(&lists[1].pids);
    if (fd >= 0)
        close(fd);
    *pid = (pid_t)found;
    return found ? 0
                 : fault_set(fault, -EINTR,
                             "no program %s started before you stopped "
                             "waiting",
                             name);
}
