/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ask/graph_rules.h"

#include "report/graph/graph_choice.h"

const struct option_rule graph_choice_rules_table[] = {
    {"--node-thres", "PERCENT", "functions with less of the total, 0.5 unless given",
     .take = graph_choice_take_node},
    {"-n", "PERCENT", "the same", .take = graph_choice_take_node},
    {"--edge-thres", "PERCENT", "calls with less of the total, 0.1 unless given",
     .take = graph_choice_take_edge},
    {"-e", "PERCENT", "the same", .take = graph_choice_take_edge},
    {"--nodes", "N", "all but the N heaviest functions, 300 unless given",
     .take = graph_choice_take_nodes},
    {"--focus", "NAME", "stacks without this function: what calls it, and what it calls",
     .take = graph_choice_take_focus},
    {"--root", "REGEX", "what functions that match do not call", .take = graph_choice_take_root},
    {"--leaf", "REGEX", "what does not call functions that match", .take = graph_choice_take_leaf},
    {"--depth", "N", "functions more than N calls from the outermost, or from --root",
     .take = graph_choice_take_depth},
    {"--path", "REGEX", "functions whose name, module and file do not match",
     .take = graph_choice_take_path},
    {.name = NULL},
};
