/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/peer.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/watch_permission.h"
#include "wire/agent_send.h"

#define MESSAGES_AT_ONCE 64 /* then it is the others' turn */
#define PROOFS_AT_ONCE   16 /* each asks the kernel */

struct peer_message {
    union {
        struct agent_request request;
        struct agent_know know;
    };
    size_t size;
    int pidfd, memory; /* of a process, and its open /proc/PID/mem; -1: none came */
};

int peer_begin(struct peer *peer, int fd, uint64_t now_ns)
{
    socklen_t size = sizeof(peer->who);
    *peer = (struct peer){.fd = fd, .since_ns = now_ns};
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer->who, &size) == 0)
        return 0;
    int err = -errno;
    close(fd);
    peer->fd = -1;
    return err;
}

void peer_end(struct peer *peer, struct peer_house *house)
{
    if (peer->has_place)
        kernel_side_remove_peer(house->kernel, peer->place);
    close(peer->fd);
    peer->fd = -1;
}

static void close_descriptors(struct peer_message *message)
{
    if (message->pidfd >= 0)
        close(message->pidfd);
    if (message->memory >= 0)
        close(message->memory);
    message->pidfd = message->memory = -1;
}

/* Keeps the first two descriptors of a message and closes the others. */
static void keep_descriptors(struct peer_message *message, struct msghdr *header)
{
    for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(fd));
            if (message->pidfd < 0)
                message->pidfd = fd;
            else if (message->memory < 0)
                message->memory = fd;
            else
                close(fd);
        }
    }
}

/* 1; 0 when there is nothing now; -errno when it is over. */
static int receive(int fd, struct peer_message *message)
{
    _Alignas(struct cmsghdr) char room[CMSG_SPACE(4 * sizeof(int))];
    struct iovec bytes = {&message->request, offsetof(struct peer_message, size)};
    struct msghdr header = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)};
    ssize_t got = recvmsg(fd, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    keep_descriptors(message, &header);
    message->size = (size_t)got;
    if (got < (ssize_t)sizeof(message->request) || header.msg_flags & MSG_TRUNC) {
        close_descriptors(message);
        return got == 0 ? -EPIPE : -EBADMSG;
    }
    return 1;
}

static int find_target(const struct peer *peer, const struct peer_house *house, int pidfd,
                       uint32_t *pid, struct fault *fault)
{
    if (pidfd < 0)
        return fault_set(fault, -EINVAL, "no process came with the request");
    *pid = pidfd_number(house->proc, pidfd);
    if (*pid == 0)
        return fault_set(fault, -ESRCH, "the process has ended, or is not in the agent's %s",
                         house->proc);
    int err = watch_permission(house->proc, *pid, peer->who.uid, peer->who.gid, fault);
    /* Only if it is still the same one has the right one been judged. */
    if (err == 0 && pidfd_number(house->proc, pidfd) != *pid)
        return fault_set(fault, -ESRCH, "process %u has just ended", *pid);
    return err;
}

static bool is_judged(const struct peer *peer)
{
    return peer->who.uid != 0;
}

/* What the peer proves to be the memory of `pid`.  The kernel let whoever opened it see into the
 * process: dumpable, capabilities, user namespaces, Yama and security modules have decided. */
static int read_proof(struct peer_house *house, int fd, uint32_t pid, uint64_t *memory,
                      struct fault *fault)
{
    struct kernel_proof proof = {.memory = 0};
    if (fd < 0)
        return fault_set(fault, -EPERM,
                         "you may not see into the memory of process %u: it protects itself, or "
                         "kernel.yama.ptrace_scope or a security module forbids it; run memoir as "
                         "root",
                         pid);
    int err = kernel_side_prove(house->kernel, fd, &proof);
    if (err < 0)
        return fault_set(fault, err, "the kernel does not tell the agent what a descriptor is: %s",
                         strerror(-err));
    if (!proof.memory)
        return fault_set(fault, -EINVAL,
                         "the descriptor is not an open /proc/%u/mem: use the memoir that belongs "
                         "to the agent",
                         pid);
    if (proof.has_owner && proof.owner != pid)
        return fault_set(fault, -ESTALE, "process %u has become another program: try again", pid);
    *memory = proof.memory;
    return 0;
}

/* Lets the peer see what it proves that it may. */
static int grant(const struct peer *peer, struct peer_house *house,
                 const struct peer_message *message, uint32_t pid, struct fault *fault)
{
    uint64_t memory;
    struct kernel_generations const generations =
        kernel_side_generations(house->kernel, peer->place, pid);
    int const err = read_proof(house, message->memory, pid, &memory, fault);
    if (err == 0)
        kernel_side_grant(house->kernel, peer->place, pid, &generations, memory);
    return err;
}

/* What a request asks for, as far as there is such a thing. */
static int read_wishes(const struct agent_request *request, struct kernel_watch *wishes,
                       struct fault *fault)
{
    wishes->watch = request->watch & (AGENT_WATCH_MEMORY | AGENT_WATCH_TIME | AGENT_WATCH_CHILDREN |
                                      AGENT_WATCH_NEXT);
    wishes->hz = request->hz;
    wishes->wait_least_us = request->wait_least_us;
    if (wishes->watch & AGENT_WATCH_CPU && (wishes->hz == 0 || wishes->hz > AGENT_HZ_MAX))
        return fault_set(fault, -EINVAL, "%u samples a second cannot be taken: from 1 to %u can",
                         wishes->hz, AGENT_HZ_MAX);
    if (wishes->watch & AGENT_WATCH_WAITS && wishes->wait_least_us > AGENT_WAIT_US_MAX)
        return fault_set(fault, -EINVAL, "the shortest wait to record must be less than a minute");
    return 0;
}

/* A place in the kernel side, and the ring that goes with it, once. */
static int claim_place(struct peer *peer, struct peer_house *house, struct agent_answer *told,
                       int *pass, struct fault *fault)
{
    if (peer->targets == PEER_TARGETS_MAX) /* as far as known: some may have ended */
        peer->targets = kernel_side_count(house->kernel, peer->place);
    if (peer->targets == PEER_TARGETS_MAX)
        return fault_set(fault, -EUSERS, "one recorder may record %u processes", PEER_TARGETS_MAX);
    if (peer->has_place)
        return 0;
    int ring, err = kernel_side_add_peer(house->kernel, peer->who.uid, &peer->place, &ring,
                                         &told->ring, fault);
    if (err < 0)
        return err;
    peer->has_place = true;
    *pass = ring;
    return 0;
}

static struct kernel_watch begin_wishes(const struct peer *peer, const struct peer_house *house)
{
    return (struct kernel_watch){.is_judged = is_judged(peer),
                                 .user = peer->who.uid,
                                 .group = peer->who.gid,
                                 .sees_kernel = may_know_kernel(house->proc, peer->who.uid)};
}

static int watch(struct peer *peer, struct peer_house *house, const struct peer_message *message,
                 struct agent_answer *told, int *pass, struct fault *fault)
{
    struct kernel_watch wishes = begin_wishes(peer, house);
    uint64_t memory;
    int err = read_wishes(&message->request, &wishes, fault);
    if (err == 0)
        err = find_target(peer, house, message->pidfd, &wishes.pid, fault);
    if (err == 0 && wishes.is_judged)
        err = read_proof(house, message->memory, wishes.pid, &memory, fault);
    if (err == 0)
        err = claim_place(peer, house, told, pass, fault);
    wishes.peer = peer->place;
    if (err == 0)
        err = kernel_side_watch(house->kernel, &wishes, fault);
    if (err < 0)
        return err;
    /* Judged before for the refusal, and after for the truth: it may have ended or become
     * another program meanwhile. */
    uint32_t again = 0;
    err = find_target(peer, house, message->pidfd, &again, fault);
    if (err == 0 && again != wishes.pid)
        err = fault_set(fault, -ESRCH, "process %u has just ended", wishes.pid);
    if (err == 0 && wishes.is_judged)
        err = grant(peer, house, message, wishes.pid, fault);
    if (err < 0) {
        kernel_side_unwatch(house->kernel, peer->place, wishes.pid);
        return err;
    }
    peer->targets++;
    told->pid = wishes.pid;
    told->sees_kernel = wishes.sees_kernel;
    told->needs_proof = wishes.is_judged;
    return 0;
}

/* A process that the peer watches has become another program. */
static void prove(struct peer *peer, struct peer_house *house, const struct peer_message *message)
{
    uint32_t const pid = peer->has_place ? pidfd_number(house->proc, message->pidfd) : 0;
    if (pid != 0 && is_judged(peer))
        (void)grant(peer, house, message, pid, NULL);
}

static int await(struct peer *peer, struct peer_house *house, const struct peer_message *message,
                 struct agent_answer *told, int *pass, struct fault *fault)
{
    struct kernel_watch wishes = begin_wishes(peer, house);
    char name[AGENT_NAME_BYTES] = "";
    int err = read_wishes(&message->request, &wishes, fault);
    memcpy(name, message->request.name, strnlen(message->request.name, sizeof(name) - 1));
    if (err == 0 && name[0] == '\0')
        err = fault_set(fault, -EINVAL, "the name of the program to wait for is empty");
    if (err == 0)
        err = claim_place(peer, house, told, pass, fault);
    wishes.peer = peer->place;
    wishes.watch |= message->request.watch & AGENT_WATCH_ONCE;
    told->sees_kernel = wishes.sees_kernel;
    told->needs_proof = wishes.is_judged;
    return err < 0 ? err : kernel_side_await(house->kernel, &wishes, name, fault);
}

static void know(const struct peer *peer, struct peer_house *house,
                 const struct peer_message *message)
{
    const struct agent_know *known = &message->know;
    size_t const least = offsetof(struct agent_know, stack.words);
    if (!peer->has_place || message->size < least || known->stack.count > AGENT_WORDS_MAX ||
        message->size < least + known->stack.count * sizeof(known->stack.words[0]) ||
        known->stack.stack >= AGENT_STACKS_MAX || known->stack.is_pending)
        return;
    kernel_side_know(house->kernel, peer->place, known);
}

/* The answer, in `told`; false when there is none to be sent. */
static bool obey(struct peer *peer, struct peer_house *house, const struct peer_message *message,
                 struct agent_answer *told, int *pass)
{
    const struct agent_request *request = &message->request;
    struct fault fault = {0};
    int err = 0;
    if (request->kind == AGENT_HELLO)
        peer->is_greeted = request->version == AGENT_VERSION;
    if (!peer->is_greeted)
        err = fault_set(&fault, -EPROTO,
                        "the agent has another version of memoir: restart `memoir agent`");
    else if (request->kind == AGENT_WATCH)
        err = watch(peer, house, message, told, pass, &fault);
    else if (request->kind == AGENT_AWAIT)
        err = await(peer, house, message, told, pass, &fault);
    else if (request->kind == AGENT_KNOW) {
        know(peer, house, message);
        return false;
    } else if (request->kind == AGENT_PROVE) {
        prove(peer, house, message);
        return false;
    } else if (request->kind == AGENT_DEEPEN) {
        if (peer->has_place)
            kernel_side_deepen(house->kernel, peer->place, true);
        return false;
    } else if (request->kind == AGENT_UNWATCH && peer->has_place)
        kernel_side_unwatch(house->kernel, peer->place, request->pid);
    else if (request->kind == AGENT_RENEW && peer->has_place)
        kernel_side_renew(house->kernel, peer->place, request->pid);
    else if (request->kind == AGENT_TELL_WAITS && peer->has_place)
        kernel_side_tell_waits(house->kernel, peer->place, request->pid);
    else if (request->kind == AGENT_COUNTERS && peer->has_place)
        kernel_side_counters(house->kernel, peer->place, &told->counters);
    else if (request->kind != AGENT_HELLO)
        err = fault_set(&fault, -EINVAL,
                        "the agent does not know this request, or no process is being recorded "
                        "yet");
    told->error = err;
    snprintf(told->sentence, sizeof(told->sentence), "%.199s", fault.text);
    return true;
}

bool peer_serve(struct peer *peer, struct peer_house *house)
{
    unsigned proofs = 0;
    for (int i = 0; i < MESSAGES_AT_ONCE && proofs < PROOFS_AT_ONCE; i++) {
        struct peer_message message = {.pidfd = -1, .memory = -1};
        int pass = -1, got = receive(peer->fd, &message);
        if (got <= 0)
            return got == 0;
        proofs += message.pidfd >= 0;
        struct agent_answer told = {.kind = message.request.kind, .version = AGENT_VERSION};
        bool const is_sent = !obey(peer, house, &message, &told, &pass) ||
                             agent_send(peer->fd, &told, sizeof(told), pass, MSG_DONTWAIT);
        close_descriptors(&message);
        if (!is_sent)
            return false;
    }
    return true;
}
