/* time_stacks.h - stacks of threads that run or wait: what they called themselves, inside it the
 * kernel's own calls, and for waits the name of what they wait for.
 *
 * The kernel's frames are of the module KERNEL_PATH and have their names at once; those whose
 * address nobody may know are one frame with the name of the module.  Not thread-safe. */
#pragma once

#include "cpu/wait_kind.h"
#include "kernel_events/station_stacks.h"

struct time_stacks;

struct time_stacks *time_stacks_create(bool without_kernel); /* NULL when out of memory */
void time_stacks_destroy(struct time_stacks *stacks);        /* also NULL */

/* The recording that the stacks are of; it is never written. */
struct recording *time_stacks_recording(const struct time_stacks *stacks);
/* What program threads called, from copies. */
struct station_stacks *time_stacks_walked(const struct time_stacks *stacks);

/* A frame that is only a name, on top of `below`.  0 or -ENOMEM. */
int time_stacks_name(struct time_stacks *stacks, stack_id below, const char *name, stack_id *stack);
/* The same of what is memoir's own: one frame below all of it. */
int time_stacks_own(struct time_stacks *stacks, const char *name, stack_id *stack);

/* The stack of a record on top of that of the program.  `stack` may be STACK_EMPTY: there is a
 * frame in any case. *is_unnamed: the kernel's addresses are hidden.  0 or -ENOMEM. */
int time_stacks_sample(struct time_stacks *stacks, const struct agent_time *time, stack_id program,
                       stack_id *stack, bool *is_unnamed);
int time_stacks_wait(struct time_stacks *stacks, const struct agent_time *time, stack_id program,
                     stack_id *stack);
/* On top of `below`: what was not seen of a stack, as the only frame.  0 or -ENOMEM. */
int time_stacks_cut(struct time_stacks *stacks, stack_id below, stack_id *stack);
/* That of a thread which was never seen. */
int time_stacks_too_short(struct time_stacks *stacks, stack_id program, stack_id *stack);
