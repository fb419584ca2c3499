/* peer.h - one recorder that is connected: who it is, what it asks, what it is answered.
 *
 * A peer is a stranger: of its messages nothing is believed but their bytes, and it never gets
 * the agent to wait.  One that does not read its answers is let go. */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

#include "agent/kernel_side.h"

#define PEER_TARGETS_MAX 1024u

struct peer {
    int fd; /* -1: nobody */
    struct ucred who;
    uint64_t since_ns;
    bool is_greeted, has_place;
    uint32_t place; /* in the kernel side, once it watches something */
    uint32_t targets;
};

struct peer_house {
    struct kernel_side *kernel;
    const char *proc; /* where /proc of the machine is mounted */
};

/* Takes over the connection.  0 or -errno: then it is closed. */
int peer_begin(struct peer *peer, int fd, uint64_t now_ns);
void peer_end(struct peer *peer, struct peer_house *house);

/* Reads and answers what has come.  false: it is over. */
bool peer_serve(struct peer *peer, struct peer_house *house);
