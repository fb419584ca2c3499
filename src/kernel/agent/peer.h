/* peer.h - one connected recorder: who it is, what it asks, what it is answered.
 *
 * A peer is not trusted: nothing in its messages is believed, and the agent never waits for it.  A
 * peer that does not read its answers is disconnected. */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

#include "agent/kernel_side.h"

#define PEER_TARGETS_MAX 1024u

struct peer {
    int fd; /* -1: none. */
    struct ucred who;
    uint64_t since_ns;
    bool is_greeted, has_place;
    uint32_t place; /* Its place in the kernel side, once it watches something. */
    uint32_t targets;
};

struct peer_house {
    struct kernel_side *kernel;
    const char *proc; /* Where the machine's /proc is mounted. */
};

/* Takes over the connection.  Returns 0; or -errno, and then the connection is closed. */
int peer_begin(struct peer *peer, int fd, uint64_t now_ns);
void peer_end(struct peer *peer, struct peer_house *house);

/* Reads and answers what has come.  Returns false if the connection is over. */
bool peer_serve(struct peer *peer, struct peer_house *house);
