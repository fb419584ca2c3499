/* tcp_sockets.h - all TCP connections of this network namespace, with their traffic as the kernel
 * counts it: payload that the other side has acknowledged, and payload received. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct tcp_socket {
    uint64_t inode; /* of the socket, as in /proc/PID/fd; 0: no process has the socket open */
    uint64_t sent, received;
};
struct tcp_sockets {
    VEC(struct tcp_socket) items; /* sorted by inode, each once */
};

/* Returns 0; or -errno if the kernel cannot be asked here. */
int tcp_sockets_read(struct tcp_sockets *sockets);
void tcp_sockets_fini(struct tcp_sockets *sockets);

/* Sum of what a process sent and received since the first look, plus what its connections then had
 * sent and received before.  A connection that begins and ends between two looks is not counted. */
struct tcp_account { /* all zero to begin */
    uint64_t sent, received;
    uint32_t pid;
    struct tcp_sockets open; /* its connections at the last look */
    uint64_t gone_sent, gone_received;
};
/* Updates the sums.  Returns 0; -EACCES or -ESRCH if the descriptors of the process cannot be read,
 * -EXDEV if the process is in another network namespace. */
int tcp_account_look(struct tcp_account *account, uint32_t pid, const struct tcp_sockets *all);
void tcp_account_fini(struct tcp_account *account);
