/* node_groups.h - groups the nodes of a run: by expressions, by labels, or by their roles. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "cluster/runs/run.h"

struct node_group {
    char *label;         /* "" if the group has none */
    VEC(uint32_t) nodes; /* ascending */
};
struct node_groups {
    VEC(struct node_group) groups;
};

/* Expressions are extended regular expressions, which match at the start of the nick, of the name,
 * or of "name_" with the name, as inventories have it. */

/* Adds all nodes of the run that a metric may come from, as one group without a label. */
int node_groups_add_all(struct node_groups *groups, const struct run *run);
/* Adds the nodes that match as one group.  `label` may be NULL.  Returns 0; or -errno with a
 * sentence if the expression is invalid. */
int node_groups_add(struct node_groups *groups, const struct run *run, const char *label,
                    const char *expression, struct fault *fault);
/* Like node_groups_add, from one text "LABEL:EXPRESSION". */
int node_groups_add_labelled(struct node_groups *groups, const struct run *run, const char *text,
                             struct fault *fault);
/* Adds one group per role, if there are several roles: relay, pn, npn, and others by their own
 * names. */
int node_groups_add_roles(struct node_groups *groups, const struct run *run);
void node_groups_fini(struct node_groups *groups);
