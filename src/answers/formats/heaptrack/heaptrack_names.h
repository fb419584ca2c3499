/* heaptrack_names.h - the strings, places and traces of a heaptrack file, written when first used.
 *
 * heaptrack numbers its tables by order of appearance from 1; these are the books that keep those
 * numbers for the ids of a recording. */
#pragma once

#include "formats/shared/output.h"
#include "model/recording.h"

struct heaptrack_names {
    struct recording *recording;
    struct output *out;
    uint32_t *string_index; /* by string_id; 0: not written */
    size_t string_limit;    /* made-up names come later and are not for this file */
    uint32_t *place_index;  /* by frame */
    uint32_t *trace_index;  /* by stack_id: the stack as a caller, all its lines shown */
    uint32_t strings, places, traces;
};

/* Returns 0 or -ENOMEM; either way heaptrack_names_fini ends it. */
int heaptrack_names_init(struct heaptrack_names *names, struct recording *recording,
                         struct output *out);
void heaptrack_names_fini(struct heaptrack_names *names);

/* The trace of `stack` without the allocator's own frames at its inner end; 0 for the empty stack.
 * Writes what the file does not have yet.  Returns 0 or -ENOMEM. */
int heaptrack_trace(struct heaptrack_names *names, stack_id stack, uint32_t *trace);
