/* heaptrack_names.h - writes the strings, places and traces of a heaptrack file, when they are
 * first used.
 *
 * heaptrack numbers its tables from 1 in order of appearance; this struct maps ids of a recording
 * to these numbers. */
#pragma once

#include "formats/shared/output.h"
#include "model/recording.h"

struct heaptrack_names {
    struct recording *recording;
    struct output *out;
    uint32_t *string_index; /* by string_id; 0: not written */
    size_t string_limit;    /* later names are made up and not for this file */
    uint32_t *place_index;  /* by frame */
    uint32_t *trace_index;  /* by stack_id: the stack as a caller, with all its lines */
    uint32_t strings, places, traces;
};

/* Returns 0 or -ENOMEM; call heaptrack_names_fini in both cases. */
int heaptrack_names_init(struct heaptrack_names *names, struct recording *recording,
                         struct output *out);
void heaptrack_names_fini(struct heaptrack_names *names);

/* Finds the trace of `stack`, without the allocator's own frames at its inner end; 0 for the empty
 * stack.  Writes lines that the file lacks.  Returns 0 or -ENOMEM. */
int heaptrack_trace(struct heaptrack_names *names, stack_id stack, uint32_t *trace);
