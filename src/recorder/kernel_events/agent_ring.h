/* agent_ring.h - the ring of records that an agent passed.  The agent may not be ours: so the ring
 * is checked to be the kernel's, and each record is copied before it is used. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/agent.h"

/* Laid out by the kernel: one page that we write, one page that the kernel writes, and the data
 * mapped twice in a row. */
struct agent_ring {
    int fd; /* -1: none. */
    uint32_t bytes;
    _Atomic(uint64_t) *read_to;
    const _Atomic(uint64_t) *written_to;
    const uint8_t *data;
    uint64_t at;      /* Read so far.  Our own, because the agent can write *read_to. */
    uint64_t *record; /* A copy of one record. */
};
#define AGENT_RING_NONE ((struct agent_ring){.fd = -1})

/* Returns whether `fd` is a ring buffer of the kernel with `bytes` bytes: nobody can make it
 * shorter while it is mapped, and only BPF programs write to its data. */
bool agent_ring_is_one(int fd, uint32_t bytes);

/* Takes ownership of the descriptor, unless it fails.  Returns 0 or -errno. */
int agent_ring_begin(struct agent_ring *ring, int fd, uint32_t bytes);
void agent_ring_end(struct agent_ring *ring); /* Does nothing if there is no ring. */

/* Like agent_link_drain, without joining pieces. */
size_t agent_ring_drain(struct agent_ring *ring, size_t most,
                        bool (*each)(void *context, const struct agent_record *record),
                        void *context);
/* Returns whether more than a quarter of the ring is unread. */
bool agent_ring_is_filling(const struct agent_ring *ring);
