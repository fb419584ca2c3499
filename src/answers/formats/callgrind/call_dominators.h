/* call_dominators.h - finds, in a graph of calls, which functions are on every path to another
 * function.
 *
 * The root calls functions without a caller, and one function of each loop that no other function
 * calls into. */
#pragma once

#include "formats/callgrind/cost_graph.h"

#define DOMINATOR_ROOT UINT32_MAX

struct call_dominators {
    /* by function: the last function that is on every path to it, or DOMINATOR_ROOT */
    uint32_t *nearest;
    bool *has_others; /* by function: whether other functions than that one call it, too */
    uint32_t *order;  /* all functions, each after its nearest */
};

/* `root` is a function that stands for the root itself, or DOMINATOR_ROOT.  Returns 0 or
 * -ENOMEM. */
int call_dominators_make(const struct cost_graph *graph, uint32_t root,
                         struct call_dominators *dominators);
void call_dominators_fini(struct call_dominators *dominators);
