/* What a peer may send to the agent: messages of any bytes, with and without descriptors.  The kernel side is played, and
 * checks what it is given. */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/peer.h"

struct kernel_side {
    bool has_peer;
};

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

int kernel_side_add_peer(struct kernel_side *side, uint32_t user, uint32_t *peer, int *ring,
                         uint32_t *ring_bytes, struct fault *fault)
{
    (void)fault;
    MUST(user == getuid());
    MUST(!side->has_peer);
    side->has_peer = true;
    *peer = 3;
    *ring = 0;
    *ring_bytes = 4096;
    return 0;
}

void kernel_side_remove_peer(struct kernel_side *side, uint32_t peer)
{
    MUST(side->has_peer && peer == 3);
    side->has_peer = false;
}

int kernel_side_watch(struct kernel_side *side, struct kernel_watch *watch, struct fault *fault)
{
    (void)fault;
    MUST(watch->is_judged == (getuid() != 0));
    MUST(side->has_peer && watch->peer == 3 && watch->pid == (uint32_t)getpid());
    MUST(watch->watch < 128);
    MUST(!(watch->watch & AGENT_WATCH_CPU) || (watch->hz >= 1 && watch->hz <= AGENT_HZ_MAX));
    MUST(!(watch->watch & AGENT_WATCH_WAITS) || watch->wait_least_us <= AGENT_WAIT_US_MAX);
    watch->generation = 7;
    return 0;
}

int kernel_side_await(struct kernel_side *side, const struct kernel_watch *watch, const char *name,
                      uint32_t user, struct fault *fault)
{
    (void)fault;
    MUST(side->has_peer && watch->peer == 3 && user == getuid());
    MUST(watch->is_judged == (getuid() != 0) && watch->watch < 256);
    MUST(name[0] && strnlen(name, AGENT_NAME_BYTES) < AGENT_NAME_BYTES);
    return 0;
}

void kernel_side_grant(struct kernel_side *side, const struct kernel_watch *watch)
{
    MUST(side->has_peer && watch->pid == (uint32_t)getpid() && watch->generation == 7);
}

void kernel_side_tell_waits(struct kernel_side *side, uint32_t peer, uint32_t pid)
{
    (void)pid;
    MUST(side->has_peer && peer == 3);
}

uint32_t kernel_side_count(struct kernel_side *side, uint32_t peer)
{
    MUST(side->has_peer && peer == 3);
    return 1;
}

void kernel_side_unwatch(struct kernel_side *side, uint32_t peer, uint32_t pid)
{
    (void)pid;
    MUST(side->has_peer && peer == 3);
}

void kernel_side_know(struct kernel_side *side, uint32_t peer, const struct agent_know *know)
{
    MUST(side->has_peer && peer == 3 && know->stack.count <= AGENT_WORDS_MAX &&
         !know->stack.is_pending && know->stack.stack < AGENT_STACKS_MAX);
}

void kernel_side_deepen(struct kernel_side *side, uint32_t peer, bool is_deep)
{
    (void)side, (void)peer, (void)is_deep;
}

void kernel_side_renew(struct kernel_side *side, uint32_t peer, uint32_t pid)
{
    kernel_side_unwatch(side, peer, pid);
}

void kernel_side_counters(struct kernel_side *side, uint32_t peer, struct agent_counters *counters)
{
    MUST(side->has_peer && peer == 3);
    *counters = (struct agent_counters){0};
}

/* One byte says how long the next message is, in units of 4, and whether a descriptor goes with it. */
static void send_message(int fd, const uint8_t *bytes, size_t size, int pass)
{
    _Alignas(struct cmsghdr) char room[CMSG_SPACE(2 * sizeof(int))] = {0};
    struct iovec part = {(void *)bytes, size};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    int const both[2] = {pass, 0};
    if (pass >= 0) {
        header.msg_control = room;
        header.msg_controllen = sizeof(room);
        struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof(both));
        memcpy(CMSG_DATA(rights), both, sizeof(both));
    }
    (void)!sendmsg(fd, &header, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kernel_side side = {false};
    struct peer_house house = {&side, "/proc"};
    struct peer peer;
    int ends[2], self = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return 0;
    MUST(peer_begin(&peer, ends[0], 0) == 0);
    bool goes_on = true;
    while (size > 1 && goes_on) {
        size_t length = (size_t)(data[0] & 0x7f) * 8, rest = size - 1;
        length = length < rest ? length : rest;
        send_message(ends[1], data + 1, length, data[0] & 0x80 ? self : -1);
        goes_on = peer_serve(&peer, &house);
        data += 1 + length;
        size -= 1 + length;
        char answer[4096];
        while (recv(ends[1], answer, sizeof(answer), MSG_DONTWAIT) > 0)
            ;
    }
    peer_end(&peer, &house);
    MUST(!side.has_peer);
    close(ends[1]);
    close(self);
    return 0;
}
