/* node_groups.h - the nodes of a run in groups: by expressions, by labels, or by their roles. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "cluster/runs/run.h"

struct node_group {
    char *label;         /* "" when it has none */
    VEC(uint32_t) nodes; /* ascending */
};
struct node_groups {
    VEC(struct node_group) groups;
};

/* Expressions are extended ones and match at the start of the nick, the name, or "name_" and the
 * name, as inventories have it. */

/* All nodes of the run that a metric may come from, as one group without a label. */
int node_groups_add_all(struct node_groups *groups, const struct run *run);
/* Those that match.  `label` may be NULL.  Returns 0 or -errno with a sentence: a bad
 * expression. */
int node_groups_add(struct node_groups *groups, const struct run *run, const char *label,
                    const char *expression, struct fault *fault);
/* Like node_groups_add, from one text "LABEL:EXPRESSION". */
int node_groups_add_labelled(struct node_groups *groups, const struct run *run, const char *text,
                             struct fault *fault);
/* One group for each role, if there are several: relay, pn, npn, others as they are called. */
int node_groups_add_roles(struct node_groups *groups, const struct run *run);
void node_groups_fini(struct node_groups *groups);
