/* slot_keeper.h - looks after the arena's slots: takes back those of threads that ended without a
 * word, touches the next ones beforehand so that their memory is ours and not the target's to pay,
 * and sums up what the threads counted. */
#pragma once

#include "capture/rings/arena.h"
#include "model/recording.h"

struct slot_keeper;

struct slot_keeper *slot_keeper_create(struct arena *arena); /* NULL when out of memory */
void slot_keeper_destroy(struct slot_keeper *keeper);

/* Called every round; does its work about ten times a second. */
void slot_keeper_look(struct slot_keeper *keeper, uint64_t now_ns);

/* The process is over, and counted: its slots are anybody's. */
void slot_keeper_release(struct slot_keeper *keeper, uint32_t process);

/* What the threads of a process counted themselves; only calls, bytes and frees are set.  Returns
 * the events that found a full ring, or no slot, or came from a signal handler inside our own code.
 */
uint64_t slot_keeper_totals(struct slot_keeper *keeper, uint32_t process, struct totals *totals);
/* The same of blocks told through memoir.h; only calls and bytes are set. */
void slot_keeper_pools(struct slot_keeper *keeper, uint32_t process, struct totals *totals);
/* The next gap that a thread of the process left open when it ended; `slot` begins with 0 and
 * counts on.  False: there is none. */
struct slot_gap {
    uint64_t events, calls, bytes, frees, start_tsc;
};
bool slot_keeper_next_gap(struct slot_keeper *keeper, uint32_t process, uint32_t *slot,
                          struct slot_gap *gap);
/* Allocations that their threads left out because their rings were nearly full. */
void slot_keeper_thinned(struct slot_keeper *keeper, uint32_t process, uint64_t *calls,
                         uint64_t *bytes);
/* Waits, arena bytes and the tracer's own time. */
void slot_keeper_cost(struct slot_keeper *keeper, uint32_t process, double ns_per_tick,
                      struct cost *cost);
