/* seats.h - which threads use the arena now, so that it can be taken away when none does.
 *
 * A thread has a seat from its first event to its end, however many recordings come and go, and
 * no other thread ever writes to it: in it the thread says that it is inside the arena.  It says so
 * before it looks whether the arena is still there, with nothing in between but the order of its
 * own code: the price of a barrier is paid by the thread that takes the arena away.  It says so,
 * makes all processors that run a thread of this process pass a barrier (membarrier), and only
 * then looks at the seats: a thread that came before is seen there, one that comes after sees
 * that the arena is gone. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct seat {
    _Alignas(64) _Atomic uint32_t inside;
    _Atomic uint32_t tid; /* 0: free */
    /* of the process in which the seat was taken: a fork copies all of them */
    _Atomic uint32_t pid;
    _Atomic uint32_t dying; /* its thread is past its destructors */
};

/* What threads without a seat point to; it is never read. */
extern struct seat seat_of_nobody __attribute__((visibility("hidden")));

/* This thread's own.  `had` is what it had so far.  NULL when none is free. */
struct seat *seat_claim(struct seat *had, uint32_t pid, uint32_t tid);

/* For a thread that is about to use the arena and has no seat yet: it counts as inside in
 * between. */
void seats_come(void);
void seats_came(void);

/* In a forked child, where none of the others are. */
void seats_forked(void);

/* Waits until every thread of this process has been outside once, for at most `limit_ns`.  True
 * when so.  The arena must be known to be gone before.  Unless it `may_barrier`, or where the
 * kernel has none, a millisecond does instead, which is ages for a processor to let its stores
 * be seen. */
bool seats_wait_until_empty(uint32_t pid, uint64_t limit_ns, bool may_barrier);
