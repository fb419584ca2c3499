/* station_stacks.h - the call stacks of all watched processes, one number for each, and how the
 * kernel learns to recognise them.
 *
 * The stacks are kept in a recording that is never written to a file; the owner may add further
 * stacks to that recording. */
#pragma once

#include <stdint.h>

#include "model/recording.h"
#include "kernel_events/agent_link.h"
#include "stacks/process_code.h"

struct station_stacks;

struct station_stacks *station_stacks_create(void);         /* NULL when out of memory */
void station_stacks_destroy(struct station_stacks *stacks); /* `stacks` may be NULL */

/* The process that a copied stack belongs to. */
struct station_code {
    struct process_code *code;
    /* The mappings must be read again before an address counts as being in no code. */
    bool is_old;
    /* Every stack of the process is put on top of this stack: STACK_EMPTY, or a name that becomes
     * the outermost frame. */
    stack_id below;
};

/* Walks a copied stack and tells the kernel by which words to recognise that stack, if the walk can
 * be described so.  `link` may be NULL: the kernel is not told. */
void station_stacks_learn(struct station_stacks *stacks, struct station_code *of,
                          const struct agent_copy *copy, struct agent_link *link);
/* Returns the stack that a record names and sets *end to how its walk ended; AGENT_STACK_NONE if
 * the stack is not known. */
uint32_t station_stacks_find(const struct station_stacks *stacks, uint32_t record_stack,
                             enum stack_end *end);

uint32_t station_stacks_count(const struct station_stacks *stacks);
/* The recording that holds the stacks; belongs to `stacks`. */
struct recording *station_stacks_recording(const struct station_stacks *stacks);
