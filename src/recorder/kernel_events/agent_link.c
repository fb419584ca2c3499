/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_events/agent_link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/vec.h"
#include "kernel_events/agent_ring.h"
#include "kernel_events/copy_pieces.h"
#include "procfs/process/proc_open.h"
#include "wire/agent_send.h"

#define NOBODY              65534u
#define ANSWER_MS           5000
#define ANSWERS_MAX         64
#define TRIES               5
#define FIRST_PID_NAMESPACE 4026531836u /* its inode, in every kernel */

/* A process that we asked for: its PID here, and in records. */
struct known_name {
    uint32_t pid, known_as;
};

struct agent_link {
    int socket;
    bool sees_kernel, needs_proof;
    struct agent_ring ring;
    VEC(struct known_name) names; /* only those with other numbers than ours: of a container */
    struct copy_pieces pieces;
};

/* Whether the one who listens is root, the agent's own user or ourselves: to the agent we open the
 * memory of our processes.  Root of another user namespace has the number of nobody. */
static bool is_trusted(int socket)
{
    struct ucred who;
    socklen_t size = sizeof(who);
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) < 0)
        return false;
    const struct passwd *own = getpwnam(AGENT_USER);
    return who.uid == 0 || who.uid == geteuid() || who.uid == NOBODY ||
           (own && own->pw_uid == who.uid);
}

struct agent_link *agent_link_open(const char *socket_path, struct fault *fault)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct agent_link *link = calloc(1, sizeof(*link));
    if (!link || strlen(socket_path) >= sizeof(address.sun_path)) {
        free(link);
        fault_set(fault, -EINVAL,
                  "the path of the agent's socket is too long, or memoir is out of "
                  "memory");
        return NULL;
    }
    strcpy(address.sun_path, socket_path);
    link->ring = AGENT_RING_NONE;
    link->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    /* An agent that does not respond must not block us. */
    struct timeval const patience = {.tv_sec = 1};
    if (link->socket >= 0)
        setsockopt(link->socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (link->socket < 0 ||
        connect(link->socket, (struct sockaddr *)&address, sizeof(address)) < 0) {
        bool const is_refused = errno == EACCES || errno == EPERM;
        fault_set(fault, is_refused ? -EACCES : -ENOTCONN,
                  is_refused
                      ? "you may not use the agent at %s: run memoir as root, or join the group of "
                        "the agent (memoir agent --group)"
                      : "there is no agent at %s: start one with sudo memoir agent",
                  socket_path);
        agent_link_close(link);
        return NULL;
    }
    if (!is_trusted(link->socket)) {
        fault_set(fault, -EACCES,
                  "the agent at %s belongs to another user, who would see your processes: use one "
                  "that root has started",
                  socket_path);
        agent_link_close(link);
        return NULL;
    }
    return link;
}

void agent_link_close(struct agent_link *link)
{
    if (!link)
        return;
    agent_ring_end(&link->ring);
    copy_pieces_fini(&link->pieces);
    vec_free(&link->names);
    if (link->socket >= 0)
        close(link->socket);
    free(link);
}

/* Keeps the first descriptor of a message in place of the one there was, and closes the others. */
static void keep_descriptor(struct msghdr *header, int *kept)
{
    for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
            continue;
        size_t const count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(fd));
            if (*kept < 0)
                *kept = fd;
            else
                close(fd);
        }
    }
}

static int receive_answer(struct agent_link *link, struct agent_answer *answer, int *passed)
{
    _Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(int))];
    struct iovec bytes = {answer, sizeof(*answer)};
    struct msghdr header = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)};
    struct pollfd ready = {.fd = link->socket, .events = POLLIN};
    int polled;
    do
        polled = poll(&ready, 1, ANSWER_MS);
    while (polled < 0 && errno == EINTR);
    if (polled != 1)
        return -ETIMEDOUT;
    ssize_t got = recvmsg(link->socket, &header, MSG_CMSG_CLOEXEC);
    if (got >= 0)
        keep_descriptor(&header, passed);
    if (got != (ssize_t)sizeof(*answer) || header.msg_flags & MSG_TRUNC)
        return got < 0 ? -errno : -EPIPE;
    answer->sentence[sizeof(answer->sentence) - 1] = '\0';
    return 0;
}

/* A process as the agent is shown it: its pidfd, and the proof that we may see into it. */
struct shown {
    int fds[AGENT_PASS_MAX];
    size_t count;
};

/* The kernel decides here whether we may see into the process, not the agent.  Without the proof
 * the agent says what is the matter.  0 or -errno: there is no such process. */
static int show(pid_t pid, struct shown *shown)
{
    shown->count = 0;
    int const pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (pidfd < 0)
        return -errno;
    shown->fds[shown->count++] = pidfd;
    int const memory = proc_open((uint32_t)pid, 0, PROC_MEM);
    if (memory >= 0)
        shown->fds[shown->count++] = memory;
    return 0;
}

static void end_show(struct shown *shown)
{
    while (shown->count > 0)
        close(shown->fds[--shown->count]);
}

/* One request and its answer.  0 or -errno, the agent's own or the connection's. */
static int ask(struct agent_link *link, const struct agent_request *request,
               const struct shown *shown, struct agent_answer *answer, int *passed,
               struct fault *fault)
{
    bool const is_sent =
        agent_send_with(link->socket, request, sizeof(*request), shown->fds, shown->count, 0);
    int err = is_sent ? 0 : -errno;
    answer->kind = 0;
    /* Skips the answers to requests that timed out. */
    for (int i = 0; i < ANSWERS_MAX && err == 0 && answer->kind != request->kind; i++)
        err = receive_answer(link, answer, passed);
    if (err == 0 && answer->kind != request->kind)
        err = -EPROTO;
    if (err < 0)
        return fault_set(fault, err,
                         "the agent does not answer (%s): see whether memoir agent still runs",
                         strerror(-err));
    if (answer->error < 0)
        return fault_set(fault, answer->error, "%s", answer->sentence);
    return 0;
}

static const struct shown nothing = {.count = 0};

/* Once per connection. */
static int greet(struct agent_link *link, struct fault *fault)
{
    struct agent_request request = {.kind = AGENT_HELLO, .version = AGENT_VERSION};
    struct agent_answer answer = {0};
    int passed = -1;
    int const err = link->ring.fd >= 0 ? 0 : ask(link, &request, &nothing, &answer, &passed, fault);
    if (passed >= 0)
        close(passed);
    return err;
}

/* Sends a request that may be the first of its kind; the first answer passes the ring. */
static int ask_to_see(struct agent_link *link, struct agent_request *request,
                      const struct agent_time_wishes *wishes, const struct shown *shown,
                      uint32_t *known_as, struct fault *fault)
{
    struct agent_answer answer = {0};
    int passed = -1, err = greet(link, fault);
    request->version = AGENT_VERSION;
    request->watch = wishes->watch;
    request->hz = wishes->hz;
    request->wait_least_us = wishes->wait_least_us;
    if (err == 0)
        err = ask(link, request, shown, &answer, &passed, fault);
    /* The first answer passes the ring also if the request failed. */
    if (passed >= 0 && (link->ring.fd >= 0 || !agent_ring_is_one(passed, answer.ring) ||
                        agent_ring_begin(&link->ring, passed, answer.ring) < 0)) {
        close(passed);
        if (link->ring.fd < 0)
            return fault_set(fault, -EPROTO, "the ring of the agent cannot be mapped");
    }
    if (err < 0)
        return err;
    *known_as = answer.pid;
    link->sees_kernel = answer.sees_kernel != 0;
    link->needs_proof = answer.needs_proof != 0;
    return link->ring.fd < 0 ? fault_set(fault, -EPROTO, "the agent passed no ring buffer") : 0;
}

/* Where records have other numbers than ours, a process is found again by its own. */
static void keep_name(struct agent_link *link, uint32_t pid, uint32_t known_as)
{
    for (size_t i = link->names.count; i-- > 0;)
        if (link->names.items[i].known_as == known_as || link->names.items[i].pid == pid)
            link->names.items[i] = link->names.items[--link->names.count];
    if (known_as != pid)
        (void)vec_push(&link->names, (struct known_name){.pid = pid, .known_as = known_as});
}

int agent_link_watch_time(struct agent_link *link, pid_t pid,
                          const struct agent_time_wishes *wishes, uint32_t *known_as,
                          struct fault *fault)
{
    struct agent_request request = {.kind = AGENT_WATCH};
    struct shown shown;
    int err = -ESTALE;
    for (int i = 0; err == -ESTALE && i < TRIES; i++) { /* it becomes another program just now */
        err = show(pid, &shown);
        if (err < 0)
            return fault_set(fault, err, "there is no process %d; `ps -ef` lists all processes",
                             pid);
        err = ask_to_see(link, &request, wishes, &shown, known_as, fault);
        end_show(&shown);
    }
    if (err == 0)
        keep_name(link, (uint32_t)pid, *known_as);
    return err;
}

/* Whether our PIDs are those of the kernel: the initial PID namespace. */
static bool is_in_first_namespace(void)
{
    struct stat info;
    return stat("/proc/self/ns/pid", &info) == 0 && info.st_ino == FIRST_PID_NAMESPACE;
}

int agent_link_await(struct agent_link *link, const char *name,
                     const struct agent_time_wishes *wishes, struct fault *fault)
{
    struct agent_request request = {.kind = AGENT_AWAIT};
    uint32_t nobody;
    if (!is_in_first_namespace())
        return fault_set(fault, -ENOTSUP,
                         "inside another PID namespace, the agent cannot report programs that "
                         "start");
    strncpy(request.name, name, sizeof(request.name) - 1);
    return ask_to_see(link, &request, wishes, &nothing, &nobody, fault);
}

int agent_link_watch(struct agent_link *link, pid_t pid, uint32_t watch, uint32_t *known_as,
                     struct fault *fault)
{
    struct agent_time_wishes const wishes = {.watch = watch};
    return agent_link_watch_time(link, pid, &wishes, known_as, fault);
}

bool agent_link_sees_kernel(const struct agent_link *link)
{
    return link->sees_kernel;
}

static int ask_about(struct agent_link *link, uint32_t kind, uint32_t known_as,
                     struct agent_answer *answer)
{
    struct agent_request request = {.kind = kind, .version = AGENT_VERSION, .pid = known_as};
    int passed = -1;
    int const err = ask(link, &request, &nothing, answer, &passed, NULL);
    if (passed >= 0)
        close(passed);
    return err;
}

int agent_link_unwatch(struct agent_link *link, uint32_t known_as)
{
    struct agent_answer answer = {0};
    return ask_about(link, AGENT_UNWATCH, known_as, &answer);
}

int agent_link_renew(struct agent_link *link, uint32_t known_as)
{
    struct agent_answer answer = {0};
    return ask_about(link, AGENT_RENEW, known_as, &answer);
}

int agent_link_tell_waits(struct agent_link *link, uint32_t known_as)
{
    struct agent_answer answer = {0};
    return ask_about(link, AGENT_TELL_WAITS, known_as, &answer);
}

int agent_link_counters(struct agent_link *link, struct agent_counters *counters)
{
    struct agent_answer answer = {0};
    int err = ask_about(link, AGENT_COUNTERS, 0, &answer);
    if (err == 0)
        *counters = answer.counters;
    return err;
}

void agent_link_know(struct agent_link *link, const struct agent_know *know)
{
    size_t const size =
        offsetof(struct agent_know, stack.words) + know->stack.count * sizeof(know->stack.words[0]);
    (void)send(link->socket, know, size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void agent_link_deepen(struct agent_link *link)
{
    struct agent_request const request = {.kind = AGENT_DEEPEN, .version = AGENT_VERSION};
    (void)send(link->socket, &request, sizeof(request), MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Our number of a process; 0: of a container, and a child there, which we do not know. */
static pid_t own_number(const struct agent_link *link, uint32_t known_as)
{
    vec_each (name, &link->names)
        if (name->known_as == known_as)
            return (pid_t)name->pid;
    return link->names.count > 0 ? 0 : (pid_t)known_as;
}

/* A process has become another program, of which nothing is told before we prove that we may see
 * into this one too. */
static void prove(struct agent_link *link, uint32_t known_as)
{
    struct agent_request const request = {.kind = AGENT_PROVE, .version = AGENT_VERSION};
    struct shown shown;
    pid_t const pid = own_number(link, known_as);
    if (pid == 0 || show(pid, &shown) < 0)
        return;
    if (shown.count == AGENT_PASS_MAX)
        (void)agent_send_with(link->socket, &request, sizeof(request), shown.fds, shown.count, 0);
    end_show(&shown);
}

struct receiver {
    struct agent_link *link;
    agent_record_fn each;
    void *context;
};

/* Passes a record on; stacks are joined from their pieces first. */
static bool hand_on(void *context, const struct agent_record *record)
{
    const struct receiver *receiver = context;
    struct agent_link *link = receiver->link;
    if (record->kind == AGENT_PIECE) {
        copy_pieces_add(&link->pieces, (const struct agent_copy *)record);
        return true;
    }
    if (record->kind == AGENT_COPY)
        record = &copy_pieces_join(&link->pieces, (const struct agent_copy *)record)->record;
    bool const is_taken = receiver->each(receiver->context, record);
    if (is_taken && link->needs_proof &&
        (record->kind == AGENT_EXEC || record->kind == AGENT_STARTED))
        prove(link, record->pid);
    return is_taken;
}

size_t agent_link_drain(struct agent_link *link, size_t most, agent_record_fn each, void *context)
{
    struct receiver receiver = {link, each, context};
    return agent_ring_drain(&link->ring, most, hand_on, &receiver);
}

static int wait_for(struct agent_link *link, bool with_ring, int wait_ms)
{
    struct pollfd ready[2] = {{.fd = link->socket, .events = POLLIN},
                              {.fd = link->ring.fd, .events = POLLIN}};
    poll(ready, with_ring ? 2 : 1, wait_ms);
    return ready[0].revents & (POLLHUP | POLLERR) ? -EPIPE : 0;
}

int agent_link_wait(struct agent_link *link, int wait_ms)
{
    return wait_for(link, true, wait_ms);
}

int agent_link_rest(struct agent_link *link, int wait_ms)
{
    return wait_for(link, false, agent_ring_is_filling(&link->ring) ? 0 : wait_ms);
}
