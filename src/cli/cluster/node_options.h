/* node_options.h - the options that choose nodes of a run, for commands about metrics. */
#pragma once

#include "cli/shared/options.h"
#include "cluster/runs/node_groups.h"

struct node_options {
    struct option_list expressions, labels;
};
/* The rows of --node-re (--nick-re) and --label (--nick-lre), which fill a struct node_options. */
extern const struct option_rule node_rules[];

bool node_options_given(const struct node_options *options);
/* Makes the groups that the options ask for, first those by expression, then those by label.
 * Returns 0 or -errno with a sentence. */
int node_options_groups(const struct node_options *options, const struct run *run,
                        struct node_groups *groups, struct fault *fault);
void node_options_fini(struct node_options *options);
