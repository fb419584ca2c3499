/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_events/agent_link.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "kernel_events/copy_pieces.h"
#include "wire/agent_send.h"

#define ANSWER_MS           5000
#define PAGE                4096u
#define RECORD_BUSY         (1u << 31)
#define RECORD_GONE         (1u << 30)
#define FIRST_PID_NAMESPACE 4026531836u /* its inode, in every kernel */
#define RECORD_HEAD         8u          /* bytes: length and flags, a page offset */

/* As the kernel lays it out: one page that we write, one that it writes, and the data twice in a row. */
struct agent_link {
    int socket, ring;
    _Atomic(uint64_t) *read_to;
    const _Atomic(uint64_t) *written_to;
    const uint8_t *data;
    uint32_t bytes;
    bool sees_kernel;
    struct copy_pieces pieces;
};

struct agent_link *agent_link_open(const char *socket_path, struct fault *fault)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct agent_link *link = calloc(1, sizeof(*link));
    if (!link || strlen(socket_path) >= sizeof(address.sun_path)) {
        free(link);
        fault_set(fault, -EINVAL, "the path of the agent's socket is too long, or memory short");
        return NULL;
    }
    strcpy(address.sun_path, socket_path);
    link->ring = -1;
    link->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    struct timeval const patience = {.tv_sec =
                                         1}; /* an agent that stands still must not hold us up */
    if (link->socket >= 0)
        setsockopt(link->socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (link->socket < 0 ||
        connect(link->socket, (struct sockaddr *)&address, sizeof(address)) < 0) {
        bool const is_refused = errno == EACCES || errno == EPERM;
        fault_set(fault, is_refused ? -EACCES : -ENOTCONN,
                  is_refused
                      ? "the agent at %s does not let us in: ask as root, or join the group it "
                        "was started for (memoir agent --group)"
                      : "there is no agent at %s: start it with sudo memoir agent",
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
    if (link->read_to)
        munmap((void *)link->read_to, PAGE);
    if (link->written_to)
        munmap((void *)link->written_to, PAGE + 2 * (size_t)link->bytes);
    copy_pieces_fini(&link->pieces);
    if (link->ring >= 0)
        close(link->ring);
    if (link->socket >= 0)
        close(link->socket);
    free(link);
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
    if (got != (ssize_t)sizeof(*answer))
        return got < 0 ? -errno : -EPIPE;
    struct cmsghdr *part = CMSG_FIRSTHDR(&header);
    if (part && part->cmsg_type == SCM_RIGHTS && part->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(passed, CMSG_DATA(part), sizeof(*passed));
    answer->sentence[sizeof(answer->sentence) - 1] = '\0';
    return 0;
}

/* One request and its answer.  0 or -errno, the agent's own or the connection's. */
static int ask(struct agent_link *link, const struct agent_request *request, int pass,
               struct agent_answer *answer, int *passed, struct fault *fault)
{
    int err = agent_send(link->socket, request, sizeof(*request), pass, 0) ? 0 : -errno;
    do {
        if (err == 0)
            err = receive_answer(link, answer, passed);
    } while (err == 0 && answer->kind != request->kind); /* of one that was given up */
    if (err < 0)
        return fault_set(fault, err,
                         "the agent does not answer (%s): see whether memoir agent still runs",
                         strerror(-err));
    if (answer->error < 0)
        return fault_set(fault, answer->error, "%s", answer->sentence);
    return 0;
}

static int map_ring(struct agent_link *link, int ring, uint32_t bytes)
{
    if (bytes < PAGE || bytes & (bytes - 1))
        return -EPROTO;
    void *own = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0);
    void *theirs = mmap(NULL, PAGE + 2 * (size_t)bytes, PROT_READ, MAP_SHARED, ring, PAGE);
    if (own == MAP_FAILED || theirs == MAP_FAILED)
        return -errno;
    link->ring = ring;
    link->bytes = bytes;
    link->read_to = own;
    link->written_to = theirs;
    link->data = (const uint8_t *)theirs + PAGE;
    return 0;
}

/* Once per connection. */
static int greet(struct agent_link *link, struct fault *fault)
{
    struct agent_request request = {.kind = AGENT_HELLO, .version = AGENT_VERSION};
    struct agent_answer answer = {0};
    int passed = -1;
    return link->ring >= 0 ? 0 : ask(link, &request, -1, &answer, &passed, fault);
}

/* A request that may be the first, whose answer has the ring. */
static int ask_to_see(struct agent_link *link, struct agent_request *request,
                      const struct agent_time_wishes *wishes, int pidfd, uint32_t *known_as,
                      struct fault *fault)
{
    struct agent_answer answer = {0};
    int passed = -1, err = greet(link, fault);
    request->version = AGENT_VERSION;
    request->watch = wishes->watch;
    request->hz = wishes->hz;
    request->wait_least_us = wishes->wait_least_us;
    if (err == 0)
        err = ask(link, request, pidfd, &answer, &passed, fault);
    /* The first answer has it, whatever became of the request. */
    if (passed >= 0 && (link->ring >= 0 || map_ring(link, passed, answer.ring) < 0)) {
        close(passed);
        if (link->ring < 0)
            return fault_set(fault, -EPROTO, "the ring of the agent cannot be mapped");
    }
    if (err < 0)
        return err;
    *known_as = answer.pid;
    link->sees_kernel = answer.sees_kernel != 0;
    return link->ring < 0 ? fault_set(fault, -EPROTO, "the agent gave no ring") : 0;
}

int agent_link_watch_time(struct agent_link *link, pid_t pid,
                          const struct agent_time_wishes *wishes, uint32_t *known_as,
                          struct fault *fault)
{
    struct agent_request request = {.kind = AGENT_WATCH};
    int const pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (pidfd < 0)
        return fault_set(fault, -errno, "there is no process %d; `ps -ef` lists those there are",
                         pid);
    int const err = ask_to_see(link, &request, wishes, pidfd, known_as, fault);
    close(pidfd);
    return err;
}

/* Whether processes have the same numbers for us as for the kernel. */
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
                         "who is started cannot be told inside another namespace of processes");
    strncpy(request.name, name, sizeof(request.name) - 1);
    return ask_to_see(link, &request, wishes, -1, &nobody, fault);
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
    return ask(link, &request, -1, answer, &passed, NULL);
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

/* Whether all that it says is inside its `size` bytes. */
static bool is_whole(const struct agent_record *record, uint32_t size)
{
    uint32_t const least = agent_record_least(record->kind);
    if (least == 0 || size < least)
        return false;
    if (record->kind == AGENT_COPY || record->kind == AGENT_PIECE)
        return ((const struct agent_copy *)record)->size <= size - least;
    if (record->kind == AGENT_SAMPLE || record->kind == AGENT_WAIT)
        return ((const struct agent_time *)record)->kernel_count * sizeof(uint64_t) <= size - least;
    return record->kind != AGENT_NAME ||
           memchr(((const struct agent_name *)record)->name, '\0', AGENT_NAME_BYTES) != NULL;
}

void agent_link_deepen(struct agent_link *link)
{
    struct agent_request const request = {.kind = AGENT_DEEPEN, .version = AGENT_VERSION};
    (void)send(link->socket, &request, sizeof(request), MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Stacks are handed on whole. */
static bool hand_on(struct agent_link *link, const struct agent_record *record,
                    agent_record_fn each, void *context)
{
    if (record->kind == AGENT_PIECE) {
        copy_pieces_take(&link->pieces, (const struct agent_copy *)record);
        return true;
    }
    if (record->kind == AGENT_COPY)
        record = &copy_pieces_join(&link->pieces, (const struct agent_copy *)record)->record;
    return each(context, record);
}

size_t agent_link_drain(struct agent_link *link, size_t most, agent_record_fn each, void *context)
{
    size_t count = 0;
    if (link->ring < 0)
        return 0;
    uint64_t at = atomic_load_explicit(link->read_to, memory_order_relaxed);
    uint64_t const end = atomic_load_explicit(link->written_to, memory_order_acquire);
    while (at < end && count < most) {
        const uint8_t *head = link->data + (at & (link->bytes - 1));
        uint32_t const word =
            atomic_load_explicit((const _Atomic(uint32_t) *)head, memory_order_acquire);
        uint32_t const size = word & ~(RECORD_BUSY | RECORD_GONE);
        if (word & RECORD_BUSY || size > link->bytes - RECORD_HEAD)
            break;
        const struct agent_record *record = (const void *)(head + RECORD_HEAD);
        bool const is_good =
            !(word & RECORD_GONE) && size >= sizeof(*record) && is_whole(record, size);
        if (is_good && !hand_on(link, record, each, context))
            break;
        at += (size + RECORD_HEAD + 7u) & ~7u;
        count++;
        atomic_store_explicit(link->read_to, at, memory_order_release);
    }
    return count;
}

static int wait_for(struct agent_link *link, bool with_ring, int wait_ms)
{
    struct pollfd ready[2] = {{.fd = link->socket, .events = POLLIN},
                              {.fd = link->ring, .events = POLLIN}};
    poll(ready, with_ring ? 2 : 1, wait_ms);
    return ready[0].revents & (POLLHUP | POLLERR) ? -EPIPE : 0;
}

int agent_link_wait(struct agent_link *link, int wait_ms)
{
    return wait_for(link, true, wait_ms);
}

int agent_link_rest(struct agent_link *link, int wait_ms)
{
    uint64_t const unread = link->ring < 0
                                ? 0
                                : atomic_load_explicit(link->written_to, memory_order_relaxed) -
                                      atomic_load_explicit(link->read_to, memory_order_relaxed);
    return wait_for(link, false, unread > link->bytes / 4 ? 0 : wait_ms);
}
