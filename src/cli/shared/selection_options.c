/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/selection_options.h"

static int set_flag(bool *flag)
{
    *flag = true;
    return 0;
}

#define FLAG_TAKER(field)                                                                          \
    static int take_##field(void *into, const char *argument, struct fault *fault)                 \
    {                                                                                              \
        (void)argument, (void)fault;                                                               \
        return set_flag(&((struct selection *)into)->field);                                       \
    }
FLAG_TAKER(top_down)
FLAG_TAKER(reverse)
FLAG_TAKER(json)
FLAG_TAKER(csv)
FLAG_TAKER(no_color)

const struct option_rule selection_rules[] = {
    {"--metric", "NAME", "what to measure: heap.peak (default), heap.leaked, heap.live, ...",
     .take = selection_take_metric},
    {"--by", "WHAT", "one row per stack, function, module, thread, line or phase",
     .take = selection_take_by},
    {"--at", "T", "as it was at T: 90s, 1h30m, -10s (before the end), 50%, peak, mark:NAME",
     .take = selection_take_at},
    {"--between", "A,B", "what happened from A to B, or in a phase: phase:NAME",
     .take = selection_take_between},
    {"--filter", "REGEX", "only stacks with a function, module or file that matches",
     .take = selection_take_filter},
    {"--top", "N", "at most N rows", .take = selection_take_top},
    {"--threshold", "X", "leave out what is under X: 1% of the total, or 64K",
     .take = selection_take_threshold},
    {"--node", "NAME", "of a run of memoir watch: this node, and not all",
     OPTION_TEXT(struct selection, node)},
    {"--kind", "KIND", "of a run: its heap (default), cpu, goroutine, mutex or block profiles",
     OPTION_TEXT(struct selection, kind)},
    {"--top-down", NULL, "as a tree from main to the code that asked", .take = take_top_down},
    {"--reverse", NULL, "the other way round: smallest first; callers first in a picture",
     .take = take_reverse},
    {"--json", NULL, "the answer as JSON, a stable interface", .take = take_json},
    {"--csv", NULL, "the answer as CSV", .take = take_csv},
    {"-o", "FILE", "write the answer to FILE", OPTION_TEXT(struct selection, output)},
    {"--no-color", NULL, "no colours, also on a terminal (as NO_COLOR=1)", .take = take_no_color},
    {.name = NULL},
};
