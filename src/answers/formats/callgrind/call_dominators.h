/* call_dominators.h - of a graph of calls: which function is on every way to another.
 *
 * Functions without a caller, and one of each loop that nothing leads into, are called by the
 * root. */
#pragma once

#include "formats/callgrind/cost_graph.h"

#define DOMINATOR_ROOT UINT32_MAX

struct call_dominators {
    uint32_t *nearest; /* by function: the last one that is on every way to it, or DOMINATOR_ROOT */
    bool *has_others;  /* by function: others than that one call it, too */
    uint32_t *order;   /* all functions, each behind its nearest */
};

/* `root`: a function that stands for the root itself, or DOMINATOR_ROOT.  Returns 0 or -ENOMEM. */
int call_dominators_make(const struct cost_graph *graph, uint32_t root,
                         struct call_dominators *dominators);
void call_dominators_fini(struct call_dominators *dominators);
