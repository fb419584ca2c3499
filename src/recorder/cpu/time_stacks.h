/* time_stacks.h - stacks of threads that run or wait: what the program called, inside that the
 * kernel's own calls, and for waits the name of what they wait for.
 *
 * The kernel's frames belong to the module KERNEL_PATH and have names at once.  If their addresses
 * are hidden, they are one frame with the name of the module.  Not thread-safe. */
#pragma once

#include "cpu/wait_kind.h"
#include "kernel_events/station_stacks.h"

struct time_stacks;

struct time_stacks *time_stacks_create(bool without_kernel); /* NULL when out of memory. */
void time_stacks_destroy(struct time_stacks *stacks);        /* NULL is allowed. */

/* Returns the recording that has the stacks; it is never written. */
struct recording *time_stacks_recording(const struct time_stacks *stacks);
/* Returns what threads of programs called, from copies. */
struct station_stacks *time_stacks_walked(const struct time_stacks *stacks);

/* Makes a frame that is only a name, on top of `below`.  Returns 0 or -ENOMEM. */
int time_stacks_name(struct time_stacks *stacks, stack_id below, const char *name, stack_id *stack);
/* Like time_stacks_name, for memoir's own processes: they share one frame below. */
int time_stacks_own(struct time_stacks *stacks, const char *name, stack_id *stack);

/* Finds the stack of a record on top of `program`, the stack of the program, which may be
 * STACK_EMPTY: there is a frame in any case. *is_unnamed: the kernel's addresses are hidden.
 * Returns 0 or -ENOMEM. */
int time_stacks_sample(struct time_stacks *stacks, const struct agent_time *time, stack_id program,
                       stack_id *stack, bool *is_unnamed);
int time_stacks_wait(struct time_stacks *stacks, const struct agent_time *time, stack_id program,
                     stack_id *stack);
/* Makes a frame on top of `below` for a stack of which nothing was seen.  Returns 0 or -ENOMEM. */
int time_stacks_cut(struct time_stacks *stacks, stack_id below, stack_id *stack);
/* Like time_stacks_cut, for a thread that was never seen. */
int time_stacks_too_short(struct time_stacks *stacks, stack_id program, stack_id *stack);
