/* turn.h - a lock with a wait that always ends: one thread at a time has the turn.
 *
 * A thread works for microseconds while it has the turn, but the scheduler may stop it for much
 * longer.  So the others wait, longer if the program may wait for the recorder anyway.  A thread
 * that was killed meanwhile, or left by a jump from a signal handler, never gives its turn back: it
 * is waited for once. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct turn {
    _Atomic uint64_t owner;     /* The thread pointer; 0: free. */
    _Atomic uint64_t abandoned; /* The owner that was waited for in vain. */
};

/* Returns false if another thread has the turn for too long.  `again`: the owner's work can be
 * started anew, so a thread that has the turn already, because it left its work by a jump, gets
 * it. */
bool turn_claim(struct turn *turn, bool again);
void turn_give(struct turn *turn);
