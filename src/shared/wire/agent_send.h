/* agent_send.h - sends one message over the agent's socket, with descriptors if needed. Used by
 * both sides. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#define AGENT_PASS_MAX 2u

/* `pass`: `count` descriptors to send along. Returns false, with errno set, if the message could
 * not be sent whole. */
static inline bool agent_send_with(int socket, const void *message, size_t size, const int *pass,
                                   size_t count, int flags)
{
    _Alignas(struct cmsghdr) char room[CMSG_SPACE(AGENT_PASS_MAX * sizeof(int))] = {0};
    struct iovec bytes = {(void *)message, size};
    struct msghdr header = {.msg_iov = &bytes, .msg_iovlen = 1};
    if (count > 0 && count <= AGENT_PASS_MAX) {
        header.msg_control = room;
        header.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *part = CMSG_FIRSTHDR(&header);
        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(part), pass, count * sizeof(int));
    }
    return sendmsg(socket, &header, flags | MSG_NOSIGNAL) == (ssize_t)size;
}

/* `pass`: descriptor to send along; -1: none. */
static inline bool agent_send(int socket, const void *message, size_t size, int pass, int flags)
{
    return agent_send_with(socket, message, size, &pass, pass >= 0, flags);
}
