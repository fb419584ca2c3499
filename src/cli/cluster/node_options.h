/* node_options.h - which nodes of a run, for the commands about its metrics. */
#pragma once

#include "cli/shared/options.h"
#include "cluster/runs/node_groups.h"

struct node_options {
    struct option_list expressions, labels;
};
/* --node-re (--nick-re) and --label (--nick-lre), into a struct node_options. */
extern const struct option_rule node_rules[];

bool node_options_given(const struct node_options *options);
/* The groups that were asked for, in order: by expression, then by label.  0 or -errno with a
 * sentence. */
int node_options_groups(const struct node_options *options, const struct run *run,
                        struct node_groups *groups, struct fault *fault);
void node_options_fini(struct node_options *options);
