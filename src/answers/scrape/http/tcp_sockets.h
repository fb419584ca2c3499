/* tcp_sockets.h - every TCP connection of this network namespace and what went through it, as
 * the kernel counts: payload that the other side has acknowledged, and payload that came. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct tcp_socket {
    uint64_t inode; /* of the socket, as /proc/PID/fd shows it; 0: no process has it open */
    uint64_t sent, received;
};
struct tcp_sockets {
    VEC(struct tcp_socket) items; /* by inode, each once */
};

/* Returns 0 or -errno: the kernel cannot be asked here. */
int tcp_sockets_read(struct tcp_sockets *sockets);
void tcp_sockets_fini(struct tcp_sockets *sockets);

/* What a process sent and received since it was first looked at, and all that its connections
 * had before.  A connection that comes and goes between two looks is not seen. */
struct tcp_account { /* all zero to begin */
    uint64_t sent, received;
    uint32_t pid;
    struct tcp_sockets open; /* its own, at the last look */
    uint64_t gone_sent, gone_received;
};
/* 0 with newer sums; -EACCES or -ESRCH when its descriptors cannot be read, -EXDEV when it lives
 * in another network namespace. */
int tcp_account_look(struct tcp_account *account, uint32_t pid, const struct tcp_sockets *all);
void tcp_account_fini(struct tcp_account *account);
