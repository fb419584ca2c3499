/* ring_reader_parts.h - the inside of a ring reader.  ring_reader.c does the rounds and chooses
 * which ring to read next; ring_records.c reads the records. */
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
    struct ring *active[ARENA_SLOTS]; /* Rings with something to read in this round. */
    struct ring *blocked[ARENA_SLOTS];
    uint32_t blocked_count;
    uint64_t words;           /* Number of words read so far. */
    uint64_t timed_words;     /* `words` when the clock was last read. */
    bool draining, read_any;  /* read_any: in the last round. */
    uint64_t round_tsc;       /* This round can read what was written before this stamp. */
    uint64_t round_ns;        /* A round ends after this time. */
    uint64_t round_end_ns;    /* On the monotonic clock. */
    bool stopped;             /* The round took long: the rest waits for the next one. */
    bool at_mark, mark_waits; /* For the next round. */
    struct ring_guard *guard;
    /* Like `progress` of the arena, but no other process can write it. */
    _Atomic uint64_t progress;
    _Atomic uint64_t rounds; /* Includes rounds that found nothing. */
    bool is_late;            /* Rings fill faster than they are read. */
    bool never_waits;        /* The program must not wait: other threads empty the rings, too. */
};

/* Counts up in the arena, so that threads which wait for room see progress and go on waiting. */
static inline void ring_reader_tell_waiting(struct ring_reader *reader)
{
    shared_add(reader->arena->memory, progress, 1);
}

/* Reads the ring until its time passes `until_tsc`, or this round ends.  If the next record must
 * wait, marks the ring as blocked. */
void ring_read(struct ring_reader *reader, struct ring *ring, uint64_t until_tsc);
