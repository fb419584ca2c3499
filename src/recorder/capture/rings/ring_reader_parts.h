/* ring_reader_parts.h - a ring reader from inside: ring_reader.c for the rounds, which of the rings
 * is read when, and ring_records.c for what is read, record by record. */
#pragma once

#include "capture/rings/ring.h"
#include "capture/rings/ring_reader.h"

struct ring_guard;

struct ring_reader {
    struct arena *arena;
    session_of_fn session_of;
    void *context;
    const struct tick_clock *clock;
    struct ring rings[ARENA_SLOTS];
    struct ring *active[ARENA_SLOTS]; /* have something to read in this round */
    struct ring *blocked[ARENA_SLOTS];
    uint32_t blocked_count;
    uint64_t words;           /* read so far */
    uint64_t timed_words;     /* of them, when the clock was last looked at */
    bool draining, read_any;  /* read_any: in the last round */
    uint64_t round_tsc;       /* what was written before this can be read in this round */
    uint64_t round_ns;        /* after which it ends */
    uint64_t round_end_ns;    /* on the monotonic clock */
    bool stopped;             /* the rest waits for the next one: it took long */
    bool at_mark, mark_waits; /* for the next round */
    struct ring_guard *guard;
    _Atomic uint64_t progress; /* as in the arena, but nobody else can write it */
    _Atomic uint64_t rounds;   /* also those that found nothing */
    bool is_late;              /* rings fill faster than they are read */
    bool never_waits; /* the program is not to wait: rings are emptied beside the reading, too */
};

/* Threads that wait for room see that it is worth to wait. */
static inline void ring_reader_tell_waiting(struct ring_reader *reader)
{
    shared_add(reader->arena->memory, progress, 1);
}

/* Reads on until the ring's time passes `until_tsc`, or its round ends; a ring whose next record
 * must wait is blocked then. */
void ring_read(struct ring_reader *reader, struct ring *ring, uint64_t until_tsc);
