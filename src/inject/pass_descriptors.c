/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/pass_descriptors.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

union control {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(PASSED_MAX * sizeof(int))];
};

/* What a thread over there receives into. */
struct inbox {
    int pair[2];
    char byte;
    struct iovec part;
    struct msghdr message;
    union control control;
};
_Static_assert(sizeof(struct inbox) <= BORROWED_DATA_BYTES, "it fits the borrowed thread's memory");

static void fill_closing(struct borrowed_step *steps, const int *fds, int count)
{
    for (int i = 0; i < count; i++)
        steps[i] = (struct borrowed_step){0, SYS_close, {(uint64_t)fds[i]}};
}

void close_passed(struct borrowed_thread *borrowed, const struct passing *passing)
{
    struct fault ignored;
    struct borrowed_step steps[PASSED_MAX];
    fill_closing(steps, passing->got, passing->count);
    borrowed_tidy_later(borrowed, NULL, 0); /* these steps do it */
    borrowed_run(borrowed, steps, (size_t)passing->count, &ignored);
}

static int send_all(int socket, const struct passing *passing)
{
    size_t const size = (size_t)passing->count * sizeof(int);
    union control control = {.bytes = {0}};
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

/* A result of theirs that is an error, in our words. */
static int failed(const struct borrowed_thread *borrowed, int64_t result, const char *what,
                  struct fault *fault)
{
    return fault_set(fault, (int)result, "process %d cannot %s: %s%s", (int)borrowed->pid, what,
                     strerror((int)-result),
                     result == -EMFILE ? "; it has no descriptor left, see its limit (ulimit -n)"
                                       : "");
}

/* Their socket is read, and both are closed, whatever comes. */
static int receive(struct borrowed_thread *borrowed, const int pair[2], struct passing *passing,
                   struct fault *fault)
{
    size_t const size = (size_t)passing->count * sizeof(int);
    uint64_t at = borrowed_data(borrowed);
    struct inbox inbox = {.byte = 0};
    struct borrowed_step steps[3] = {{0,
                                      SYS_recvmsg,
                                      {(uint64_t)pair[0], at + offsetof(struct inbox, message),
                                       MSG_CMSG_CLOEXEC | MSG_DONTWAIT}}};
    fill_closing(steps + 1, pair, 2);
    inbox.part = (struct iovec){(void *)(at + offsetof(struct inbox, byte)), 1};
    inbox.message = (struct msghdr){.msg_iov = (void *)(at + offsetof(struct inbox, part)),
                                    .msg_iovlen = 1,
                                    .msg_control = (void *)(at + offsetof(struct inbox, control)),
                                    .msg_controllen = sizeof(inbox.control)};
    if (!remote_write(borrowed->memory, at, &inbox, sizeof(inbox)))
        return fault_set(fault, -EIO, "cannot write to the memory of process %d",
                         (int)borrowed->pid);
    borrowed_tidy_later(borrowed, NULL, 0); /* these steps do it */
    int err = borrowed_run(borrowed, steps, 3, fault);
    if (err < 0)
        return err;
    if ((int64_t)steps[0].number < 0)
        return failed(borrowed, (int64_t)steps[0].number, "receive descriptors", fault);
    if (!remote_read(borrowed->memory, at, &inbox, sizeof(inbox)) ||
        inbox.control.head.cmsg_len < CMSG_LEN(size))
        return failed(borrowed, -EMFILE, "receive descriptors", fault);
    memcpy(passing->got, CMSG_DATA(&inbox.control.head), size);
    struct borrowed_step tidy[PASSED_MAX];
    fill_closing(tidy, passing->got, passing->count);
    borrowed_tidy_later(borrowed, tidy, (size_t)passing->count);
    return 0;
}

int pass_descriptors(struct borrowed_thread *borrowed, int pidfd, struct passing *passing,
                     struct fault *fault)
{
    int pair[2];
    struct borrowed_step step = {
        0, SYS_socketpair, {AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, borrowed_data(borrowed)}};
    int err = borrowed_run(borrowed, &step, 1, fault);
    if (err < 0)
        return err;
    if ((int64_t)step.number < 0)
        return failed(borrowed, (int64_t)step.number, "make a socket pair", fault);
    if (!remote_read(borrowed->memory, borrowed_data(borrowed), pair, sizeof(pair)))
        return fault_set(fault, -EIO, "cannot read the memory of process %d", (int)borrowed->pid);
    struct borrowed_step tidy[2];
    fill_closing(tidy, pair, 2);
    borrowed_tidy_later(borrowed, tidy, 2);
    int ours = (int)syscall(SYS_pidfd_getfd, pidfd, pair[1], 0);
    int sent = ours < 0 ? -errno : send_all(ours, passing);
    err = receive(borrowed, pair, passing, fault);
    if (sent < 0)
        err = fault_set(fault, sent, "cannot hand descriptors to process %d: %s",
                        (int)borrowed->pid, strerror(-sent));
    if (ours >= 0)
        close(ours);
    return err;
}
