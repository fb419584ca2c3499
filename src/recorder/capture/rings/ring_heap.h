/* ring_heap.h - reads the records of the heap: blocks that are allocated, freed and moved, and
 * memory that is mapped and unmapped.
 *
 * A record is booked, or waits until another ring is read further, because the events of one
 * address have an order. */
#pragma once

#include "capture/rings/ring.h"

/* No block or mapping is larger than the memory of a process: a larger number means that the ring
 * was overwritten. */
#define BYTES_LIMIT (1ull << 47)

/* Handles what session_book returned.  Returns true if the record is done, false if its ring must
 * wait for another. */
bool ring_is_booked(struct ring *ring, int ahead);

/* ring_heap_alloc reads an ALLOC, ALLOC_BIG or PAIR at `at`, ring_heap_free a FREE; `first` is the
 * first word.  Return false if the record must wait. */
bool ring_heap_alloc(struct ring *ring, uint64_t at, uint64_t first);
bool ring_heap_free(struct ring *ring, uint64_t first);

/* ring_heap_map reads a MAP.  ring_heap_unmap reads an UNMAP with its OUTCOME; returns the number
 * of words of both, 0 if the OUTCOME is not there yet, or the words of the UNMAP alone if its
 * thread was killed before the OUTCOME and another thread has the ring. */
void ring_heap_map(struct ring *ring, uint64_t at, uint64_t first);
unsigned ring_heap_unmap(struct ring *ring, uint64_t at);

/* ring_heap_move reads the beginning of a realloc; returns its words, together with those of its
 * end if that is there, or 0 if it must wait.  ring_heap_outcome reads an end alone. */
unsigned ring_heap_move(struct ring *ring, uint64_t at, uint64_t first);
void ring_heap_outcome(struct ring *ring, uint64_t first);
