/* station_stacks.h - the call stacks of all watched processes, each with one number; and how the kernel is taught them.
 *
 * Kept as stacks of a recording that is never written; whoever has them may put more into it. */
#pragma once

#include <stdint.h>

#include "model/recording.h"
#include "kernel_events/agent_link.h"
#include "stacks/process_code.h"

struct station_stacks;

struct station_stacks *station_stacks_create(void);         /* NULL when out of memory */
void station_stacks_destroy(struct station_stacks *stacks); /* also NULL */

/* Whose stacks: of the process that a copy is of. */
struct station_code {
    struct process_code *code;
    bool is_old;    /* its mappings have to be read again before an address is taken for nobody's */
    stack_id below; /* that its stacks stand on: STACK_EMPTY, or a name that is outermost in each */
};

/* Walks a copy that came, and tells the kernel by what it will know the stack again, if it can.  `link` may be NULL. */
void station_stacks_learn(struct station_stacks *stacks, struct station_code *of,
                          const struct agent_copy *copy, struct agent_link *link);
/* The number of a record's stack, and how its walk ended; AGENT_STACK_NONE when there is none. */
uint32_t station_stacks_find(const struct station_stacks *stacks, uint32_t record_stack,
                             enum stack_end *end);

uint32_t station_stacks_count(const struct station_stacks *stacks);
struct recording *station_stacks_recording(const struct station_stacks *stacks);
