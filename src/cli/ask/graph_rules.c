/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ask/graph_rules.h"

#include "report/graph/graph_choice.h"

const struct option_rule graph_choice_rules_table[] = {
    {"--node-thres", "PERCENT", "leave out functions below this share of the total (0.5)",
     OPTION_CALLBACK(graph_choice_parse)},
    {"-n", "PERCENT", "same as --node-thres", OPTION_CALLBACK(graph_choice_parse)},
    {"--edge-thres", "PERCENT", "leave out calls below this share of the total (0.1)",
     OPTION_CALLBACK(graph_choice_parse)},
    {"-e", "PERCENT", "same as --edge-thres", OPTION_CALLBACK(graph_choice_parse)},
    {"--nodes", "N", "show only the N heaviest functions (300)",
     OPTION_CALLBACK(graph_choice_parse)},
    {"--focus", "NAME", "show only stacks with this function: its callers and callees",
     OPTION_CALLBACK(graph_choice_parse)},
    {"--root", "REGEX", "show only what matching functions call",
     OPTION_CALLBACK(graph_choice_parse)},
    {"--leaf", "REGEX", "show only what calls matching functions",
     OPTION_CALLBACK(graph_choice_parse)},
    {"--depth", "N", "leave out functions more than N calls below the outermost, or below --root",
     OPTION_CALLBACK(graph_choice_parse)},
    {"--path", "REGEX", "show only functions whose name, module or file matches",
     OPTION_CALLBACK(graph_choice_parse)},
    {.name = NULL},
};
