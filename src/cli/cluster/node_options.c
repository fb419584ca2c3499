/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/node_options.h"

#include "base/vec.h"

const struct option_rule node_rules[] = {
    {"--node-re", "REGEX", "nodes whose nick or name begins with a match; may be repeated",
     OPTION_LIST(struct node_options, expressions, OPTION_NO_LIMIT)},
    {"--label", "LABEL:REGEX", "as --node-re, grouped under a label: relay:name_r; may be repeated",
     OPTION_LIST(struct node_options, labels, OPTION_NO_LIMIT)},
    {"--nick-re", "REGEX", "same as --node-re",
     OPTION_LIST(struct node_options, expressions, OPTION_NO_LIMIT)},
    {"--nick-lre", "LABEL:REGEX", "same as --label",
     OPTION_LIST(struct node_options, labels, OPTION_NO_LIMIT)},
    {.name = NULL}};

bool node_options_given(const struct node_options *options)
{
    return options->expressions.count + options->labels.count > 0;
}

int node_options_groups(const struct node_options *options, const struct run *run,
                        struct node_groups *groups, struct fault *fault)
{
    int err = 0;
    for (size_t i = 0; !err && i < options->expressions.count; i++)
        err = node_groups_add(groups, run, NULL, options->expressions.items[i], fault);
    for (size_t i = 0; !err && i < options->labels.count; i++)
        err = node_groups_add_labelled(groups, run, options->labels.items[i], fault);
    return err;
}

void node_options_fini(struct node_options *options)
{
    vec_free(&options->expressions);
    vec_free(&options->labels);
}
