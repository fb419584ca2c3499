/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/line.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROOM CMSG_SPACE(LINE_DESCRIPTORS_MAX * sizeof(int))

int line_open(int ends[2])
{
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0 ? -errno : 0;
}

int line_send(int line, const void *message, size_t size, const int *descriptors, size_t count)
{
    _Alignas(struct cmsghdr) char room[ROOM] = {0};
    struct iovec part = {(void *)message, size};
    struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t sent;
    if (count > LINE_DESCRIPTORS_MAX)
        return -EINVAL;
    if (count > 0) {
        packet.msg_control = room;
        packet.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *head = CMSG_FIRSTHDR(&packet);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(head), descriptors, count * sizeof(int));
    }
    do
        sent = sendmsg(line, &packet, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : 0;
}

/* Keeps the descriptors that came; closes those that nobody wants. */
static void keep_descriptors(struct msghdr *packet, int *descriptors)
{
    for (struct cmsghdr *head = CMSG_FIRSTHDR(packet); head; head = CMSG_NXTHDR(packet, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
            continue;
        size_t const count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(head) + i * sizeof(fd), sizeof(fd));
            if (descriptors && i < LINE_DESCRIPTORS_MAX && descriptors[i] < 0)
                descriptors[i] = fd;
            else
                close(fd);
        }
    }
}

ssize_t line_receive(int line, void *message, size_t size, int *descriptors)
{
    _Alignas(struct cmsghdr) char room[ROOM];
    struct iovec part = {message, size};
    struct msghdr packet = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)};
    ssize_t got;
    for (size_t i = 0; descriptors && i < LINE_DESCRIPTORS_MAX; i++)
        descriptors[i] = -1;
    do
        got = recvmsg(line, &packet, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return -errno;
    keep_descriptors(&packet, descriptors);
    return packet.msg_flags & MSG_TRUNC ? -EMSGSIZE : got;
}
