/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/library/pass_descriptors.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "inject/library/errand_code.h"

union pass_control {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(PASSED_MAX * sizeof(int))];
};

/* What a thread over there receives into: cells of errand_code.h, and what goes with them. */
struct inbox {
    int pair[2];
    char byte;
    struct iovec part;
    struct msghdr message;
    union pass_control control;
};
_Static_assert(sizeof(struct inbox) <= PASSED_CELLS_BYTES &&
                   2 * PASSED_CELLS_BYTES <= BORROWED_CELLS_BYTES,
               "it fits the borrowed thread's memory");
#define GOT_AT (offsetof(struct inbox, control) + CMSG_LEN(0))

static struct borrowed_step closing(const struct borrowed_thread *borrowed, size_t cell)
{
    return borrowed_errand(borrowed, errand_close, borrowed_cells(borrowed) + cell);
}

void passed_closing(const struct borrowed_thread *borrowed, const struct passing *passing,
                    struct borrowed_step *steps)
{
    for (int i = 0; i < passing->count; i++)
        steps[i] = closing(borrowed, GOT_AT + (size_t)i * sizeof(int));
}

/* Lays an empty one down, and who closes what comes into it if we cannot. */
static int lay_inbox(struct borrowed_thread *borrowed, const struct passing *passing)
{
    uint64_t const at = borrowed_cells(borrowed);
    struct borrowed_step tidy[PASSED_MAX + 2] = {closing(borrowed, 0),
                                                 closing(borrowed, sizeof(int))};
    struct inbox inbox = {.pair = {-1, -1}};
    memset(inbox.control.bytes + CMSG_LEN(0), 0xff, sizeof(inbox.control) - CMSG_LEN(0));
    inbox.part = (struct iovec){(void *)(at + offsetof(struct inbox, byte)), 1};
    inbox.message = (struct msghdr){.msg_iov = (void *)(at + offsetof(struct inbox, part)),
                                    .msg_iovlen = 1,
                                    .msg_control = (void *)(at + offsetof(struct inbox, control)),
                                    .msg_controllen = sizeof(inbox.control)};
    if (!remote_write(borrowed->memory, at, &inbox, sizeof(inbox)))
        return -ESRCH;
    passed_closing(borrowed, passing, tidy + 2);
    borrowed_tidy_later(borrowed, tidy, (size_t)passing->count + 2);
    return 0;
}

void close_passed(struct borrowed_thread *borrowed, const struct passing *passing)
{
    struct fault ignored;
    struct borrowed_step steps[PASSED_MAX];
    passed_closing(borrowed, passing, steps);
    borrowed_run(borrowed, steps, (size_t)passing->count, &ignored);
}

static int send_all(int socket, const struct passing *passing)
{
    size_t const size = (size_t)passing->count * sizeof(int);
    union pass_control control = {.bytes = {0}};
    char byte = 'm';
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = CMSG_SPACE(size)};
    control.head.cmsg_len = CMSG_LEN(size);
    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    memcpy(CMSG_DATA(&control.head), passing->given, size);
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 ? 0 : -errno;
}

/* Whether it is an end of the pair that was just made.  Which number the pair has stands in memory
 * that they can write; a connection of theirs to a service would bring it a message of root's. */
static bool is_their_own(int socket, pid_t pid)
{
    struct ucred maker;
    struct sockaddr_un peer = {.sun_family = AF_UNSPEC};
    socklen_t maker_size = sizeof(maker), peer_size = sizeof(peer);
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &maker, &maker_size) == 0 &&
           maker.pid == pid && getpeername(socket, (struct sockaddr *)&peer, &peer_size) == 0 &&
           peer.sun_family == AF_UNIX && peer_size == sizeof(peer.sun_family);
}

/* A result of theirs that is an error, in our words. */
static int failed(const struct borrowed_thread *borrowed, int64_t result, const char *what,
                  struct fault *fault)
{
    return fault_set(fault, (int)result, "process %d cannot %s: %s%s", (int)borrowed->pid, what,
                     strerror((int)-result),
                     result == -EMFILE ? "; the process has no file descriptor left, see its limit "
                                         "(ulimit -n)"
                                       : "");
}

/* Their socket is read, and both are closed, whatever comes. */
static int receive(struct borrowed_thread *borrowed, const int pair[2], struct passing *passing,
                   struct fault *fault)
{
    size_t const size = (size_t)passing->count * sizeof(int);
    uint64_t const at = borrowed_cells(borrowed);
    struct inbox inbox;
    struct borrowed_step steps[3] = {{0,
                                      SYS_recvmsg,
                                      {(uint64_t)pair[0], at + offsetof(struct inbox, message),
                                       MSG_CMSG_CLOEXEC | MSG_DONTWAIT}},
                                     closing(borrowed, 0),
                                     closing(borrowed, sizeof(int))};
    int err = borrowed_run(borrowed, steps, 3, fault);
    if (err < 0)
        return err;
    if ((int64_t)steps[0].number < 0)
        return failed(borrowed, (int64_t)steps[0].number, "receive descriptors", fault);
    if (!remote_read(borrowed->memory, at, &inbox, sizeof(inbox)) ||
        inbox.control.head.cmsg_len < CMSG_LEN(size))
        return failed(borrowed, -EMFILE, "receive descriptors", fault);
    memcpy(passing->got, inbox.control.bytes + CMSG_LEN(0), size);
    return 0;
}

int pass_descriptors(struct borrowed_thread *borrowed, int pidfd, struct passing *passing,
                     struct fault *fault)
{
    int pair[2];
    struct borrowed_step step =
        borrowed_errand(borrowed, errand_make_pair, borrowed_cells(borrowed));
    int err = lay_inbox(borrowed, passing);
    if (err < 0)
        return fault_set(fault, err, "cannot write to the memory of process %d",
                         (int)borrowed->pid);
    err = borrowed_run(borrowed, &step, 1, fault);
    if (err < 0)
        return err;
    if ((int64_t)step.number < 0)
        return failed(borrowed, (int64_t)step.number, "make a socket pair", fault);
    if (!remote_read(borrowed->memory, borrowed_cells(borrowed), pair, sizeof(pair)))
        return fault_set(fault, -EIO, "cannot read the memory of process %d", (int)borrowed->pid);
    int ours = (int)syscall(SYS_pidfd_getfd, pidfd, pair[1], 0);
    int sent = ours < 0 ? -errno : -EBADF;
    if (ours >= 0 && is_their_own(ours, borrowed->pid))
        sent = send_all(ours, passing);
    err = receive(borrowed, pair, passing, fault);
    if (sent < 0)
        err = fault_set(fault, sent, "cannot pass file descriptors to process %d: %s",
                        (int)borrowed->pid, strerror(-sent));
    if (ours >= 0)
        close(ours);
    return err;
}
