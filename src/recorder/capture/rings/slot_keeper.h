/* slot_keeper.h - looks after the arena's slots.  Takes back slots of threads that ended without
 * notice; touches the next free slots in advance, so that their memory is charged to the recorder
 * and not to the target; and sums up what the threads counted. */
#pragma once

#include "capture/rings/arena.h"
#include "model/recording.h"

struct slot_keeper;

struct slot_keeper *slot_keeper_create(struct arena *arena); /* NULL when out of memory. */
void slot_keeper_destroy(struct slot_keeper *keeper);

/* Called every round; works about ten times a second. */
void slot_keeper_look(struct slot_keeper *keeper, uint64_t now_ns);

/* Frees the slots of a process that has ended and has been counted. */
void slot_keeper_release(struct slot_keeper *keeper, uint32_t process);

/* Sums up in `totals` what the threads of a process counted themselves; sets only calls, bytes and
 * frees.  Returns the number of events that were lost: they found a full ring or no slot, or came
 * from a signal handler inside our own code. */
uint64_t slot_keeper_totals(struct slot_keeper *keeper, uint32_t process, struct totals *totals);
/* Sums up the same for blocks that the program tells through memoir.h; sets only calls and
 * bytes. */
void slot_keeper_pools(struct slot_keeper *keeper, uint32_t process, struct totals *totals);
/* Finds the next gap that a thread of the process left open when it ended.  `slot` is 0 for the
 * first call and is advanced by each call.  Returns false when there are no more. */
struct slot_gap {
    uint64_t events, calls, bytes, frees, start_tsc;
};
bool slot_keeper_next_gap(struct slot_keeper *keeper, uint32_t process, uint32_t *slot,
                          struct slot_gap *gap);
/* Counts allocations that threads left out because their rings were nearly full. */
void slot_keeper_thinned(struct slot_keeper *keeper, uint32_t process, uint64_t *calls,
                         uint64_t *bytes);
/* Sets waits, arena bytes and the tracer's own time. */
void slot_keeper_cost(struct slot_keeper *keeper, uint32_t process, double ns_per_tick,
                      struct cost *cost);
