/* turn.h - one thread at a time, and a wait that always ends.
 *
 * A thread that has the turn works for microseconds, but the scheduler may put that thread aside
 * for much longer: so the others wait, longer where the program may wait for the recorder
 * anyway.  A thread that was ended meanwhile, or jumped away by a signal handler, never gives its
 * turn back: it is waited for once. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct turn {
    _Atomic uint64_t owner;     /* the thread pointer; 0: free */
    _Atomic uint64_t abandoned; /* the owner that was waited for in vain */
};

/* False when another thread has it for too long.  `again`: what the owner does can be begun
 * anew, so a thread that has it already, and jumped away from what it did, gets it. */
bool turn_claim(struct turn *turn, bool again);
void turn_give(struct turn *turn);
