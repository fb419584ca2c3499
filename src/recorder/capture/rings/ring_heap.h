/* ring_heap.h - reads the records of the heap: blocks that come, go and move, and memory that is
 * given back to the kernel.
 *
 * Each is dealt with, or must wait until another ring is read further: events of one address
 * have an order. */
#pragma once

#include "capture/rings/ring.h"

/* No block or mapping is larger than the memory of a process: a ring that says so was scribbled
 * over. */
#define BYTES_LIMIT (1ull << 47)

/* What came of booking a record, as session_book returns it.  True when it was dealt with, false
 * when its ring must wait for another. */
bool ring_is_booked(struct ring *ring, int ahead);

/* An ALLOC, ALLOC_BIG or PAIR at `at`, and a FREE, whose first word this is; false when it must
 * wait. */
bool ring_heap_alloc(struct ring *ring, uint64_t at, uint64_t first);
bool ring_heap_free(struct ring *ring, uint64_t first);

/* A MAP.  An UNMAP with its end.  The words of both, 0 when the end is not there yet; those of
 * the UNMAP alone when its thread was killed before the end, and another one has the ring. */
void ring_heap_map(struct ring *ring, uint64_t at, uint64_t first);
unsigned ring_heap_unmap(struct ring *ring, uint64_t at);

/* The beginning of a realloc: its words, with those of its end when that is there too, or 0 when
 * it must wait.  And an end that came alone. */
unsigned ring_heap_move(struct ring *ring, uint64_t at, uint64_t first);
void ring_heap_outcome(struct ring *ring, uint64_t first);
