/* rings.h - the tracer's rings alone, in the test's own thread: an arena, and in the place of the
 * rest of the library what a test says. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "capture/rings/arena.h"
#include "tracer/rings/thread.h"
#include "wire/event.h"

struct rings {
    struct arena *arena;
    uint64_t alive;           /* the epoch as the tracer sees it; 0: it is off */
    uint32_t node;            /* what the next stacks are called */
    void *stack_frame;        /* the hook whose stack was asked for last */
    bool recorder_is_dead;    /* once somebody looks */
    bool may_revive;          /* whoever finds the tracer off turns it on */
    bool is_confined;         /* children and their files are out of reach */
    unsigned turned_off;      /* so often */
    size_t (*usable)(void *); /* the allocator's malloc_usable_size; NULL: it has none */
};
extern struct rings rings;

/* For cmocka: an empty arena with one process, this one, and a new epoch in which no thread has a
 * slot.  The clock word stands. */
int rings_begin(void **state);

/* The calling thread's slot, from its first event on. */
struct arena_slot *rings_own_slot(void);

/* Events, for tests that cannot include tracer/rings/record.h, whose registers have the names of
 * those of signal.h. */
void rings_allocate(uint64_t address, size_t size);
void rings_release(uint64_t address);

struct ring_event {
    enum event_type type;
    unsigned count;
    uint64_t words[32];
};

/* The next event that nobody has read; false when there is none. */
bool rings_next(struct arena_slot *slot, struct ring_event *event);
/* The same without times, and without the record of the thread; they are looked at. */
bool rings_next_but_times(struct arena_slot *slot, struct ring_event *event);
/* All is read. */
void rings_empty(struct arena_slot *slot);
/* Writes events without a meaning until there is no room. */
void rings_fill(struct arena_slot *slot);
