/* seats.h - which threads use the arena now, so that it can be unmapped when none does.
 *
 * A thread has a seat from its first event to its end, for any number of recordings, and no other
 * thread ever writes to `inside` in it: there the thread says that it is inside the arena.  The
 * thread first sets `inside`, then checks whether the arena is still there, with nothing but
 * program order in between.  The thread that takes the arena away pays for the barrier: it marks
 * the arena as gone, makes all processors that run a thread of this process pass a barrier
 * (membarrier), and only then looks at the seats.  A thread that entered before is seen there; one
 * that enters later sees that the arena is gone. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct seat {
    _Alignas(64) _Atomic uint32_t inside;
    _Atomic uint32_t tid; /* 0: free. */
    /* Of the process in which the seat was taken, because a fork copies all seats. */
    _Atomic uint32_t pid;
    _Atomic uint32_t dying; /* The thread is past its destructors. */
};

/* What threads without a seat point to; never read. */
extern struct seat seat_of_nobody __attribute__((visibility("hidden")));

/* Returns a seat for this thread; `had` is its seat so far.  NULL when none is free. */
struct seat *seat_claim(struct seat *had, uint32_t pid, uint32_t tid);

/* Around the time in which a thread that is about to use the arena has no seat yet: meanwhile it
 * counts as inside. */
void seats_come(void);
void seats_came(void);

/* To be called in a forked child, which has none of the other threads. */
void seats_forked(void);

/* Waits until every thread of this process has been outside once, at most `limit_ns`.  Returns
 * whether that happened.  The arena must be marked as gone before.  Without `may_barrier`, or if
 * the kernel has no membarrier, waits for a millisecond instead, which is long enough for the
 * stores of any processor to be seen. */
bool seats_wait_until_empty(uint32_t pid, uint64_t limit_ns, bool may_barrier);
