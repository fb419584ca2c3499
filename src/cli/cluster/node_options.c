/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/node_options.h"

#include <errno.h>

static int take_expression(void *into, const char *argument, struct fault *fault)
{
    struct node_options *options = into;
    return vec_push(&options->expressions, argument) ? 0
                                                     : fault_set(fault, -ENOMEM, "out of memory");
}

static int take_label(void *into, const char *argument, struct fault *fault)
{
    struct node_options *options = into;
    return vec_push(&options->labels, argument) ? 0 : fault_set(fault, -ENOMEM, "out of memory");
}

const struct option_rule node_rules[] = {
    {"--node-re", "REGEX", "nodes whose nick or name begins so; may be repeated",
     .take = take_expression},
    {"--label", "LABEL:REGEX", "the same under a label, as relay:name_r; may be repeated",
     .take = take_label},
    {"--nick-re", "REGEX", "as --node-re", .take = take_expression},
    {"--nick-lre", "LABEL:REGEX", "as --label", .take = take_label},
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
