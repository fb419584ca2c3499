/* agent_send.h - one message of either side of the agent's socket, with a descriptor if there is one to hand over. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

/* `pass` -1: none.  false with errno when it could not be sent whole. */
static inline bool agent_send(int socket, const void *message, size_t size, int pass, int flags)
{
    _Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec bytes = {(void *)message, size};
    struct msghdr header = {.msg_iov = &bytes, .msg_iovlen = 1};
    if (pass >= 0) {
        header.msg_control = room;
        header.msg_controllen = sizeof(room);
        struct cmsghdr *part = CMSG_FIRSTHDR(&header);
        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(part), &pass, sizeof(pass));
    }
    return sendmsg(socket, &header, flags | MSG_NOSIGNAL) == (ssize_t)size;
}
