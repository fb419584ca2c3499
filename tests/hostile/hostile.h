/* hostile.h - what the hostile programs of this folder have in common: a program that is recorded,
 * knows how memoir's shared memory is laid out, and writes there what it likes.
 *
 * As root each gives up its rights before it begins, so that what it gets by the recorder is more
 * than it had.  Each ends by itself and prints what it did. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire/arena.h"
#include "wire/told.h"

/* Gives up the rights of root, and waits until the recorder is there (it may attach).  Exits with
 * status 3 if there is none. */
struct arena_header *hostile_begin(void);

/* The entry of the calling process; its index. */
uint32_t hostile_entry(struct arena_header *arena);

/* A slot that nobody has: from now on this program's, and its tracer's no more. */
struct arena_slot *hostile_take_slot(struct arena_header *arena);

/* Waits until there is room and writes words into a ring, as a thread of entry `entry` when that
 * begins; false when the recorder reads no more. */
bool hostile_thread(struct arena_slot *slot, uint32_t entry, uint32_t tid);
bool hostile_put(struct arena_slot *slot, const uint64_t *words, unsigned count);

uint64_t hostile_random(uint64_t *state);

/* Whether so many seconds have passed since the first call. */
bool hostile_is_over(double seconds);
