/* agent_ring.h - the ring of records that an agent passed.  The agent may be none of ours: the ring
 * is checked to be the kernel's, and each record is copied before anything in it is believed. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/agent.h"

/* Laid out by the kernel: one page that we write, one page that the kernel writes, and the data
 * mapped twice in a row. */
struct agent_ring {
    int fd; /* -1: none */
    uint32_t bytes;
    _Atomic(uint64_t) *read_to;
    const _Atomic(uint64_t) *written_to;
    const uint8_t *data;
    uint64_t at;      /* read so far: our own, as *read_to is the agent's too */
    uint64_t *record; /* a copy of one */
};
#define AGENT_RING_NONE ((struct agent_ring){.fd = -1})

/* Whether `fd` is a ring buffer of the kernel's, of `bytes`: nobody can make it shorter while it is
 * mapped, and only BPF programs write to its data. */
bool agent_ring_is_one(int fd, uint32_t bytes);

/* Takes the descriptor, unless it fails.  0 or -errno. */
int agent_ring_begin(struct agent_ring *ring, int fd, uint32_t bytes);
void agent_ring_end(struct agent_ring *ring); /* also of none */

/* As agent_link_drain, with pieces as they are. */
size_t agent_ring_drain(struct agent_ring *ring, size_t most,
                        bool (*each)(void *context, const struct agent_record *record),
                        void *context);
/* Whether more than a quarter of the ring is unread. */
bool agent_ring_is_filling(const struct agent_ring *ring);
