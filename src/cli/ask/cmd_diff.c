/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_diff.c - `memoir diff`: what changed between two recordings, or between two times of one. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_gate.h"
#include "analyze/diff/diff_scale.h"
#include "analyze/trees/stack_match.h"
#include "base/human.h"
#include "cli/shared/confine.h"
#include "cli/shared/answer_file.h"
#include "cli/ask/commands.h"
#include "cli/shared/open_input.h"
#include "cli/shared/other_metrics.h"
#include "cli/ask/pick_rules.h"
#include "cli/shared/selection_options.h"
#include "model/losses.h"
#include "report/rows/diff_report.h"

#define TEXT_ROWS  20
#define TEXT_DEPTH 6

struct diff_diff_options {
    struct selection before,
        after; /* `before` has all shared options, `after` only --with and --with-at */
    bool lines, folded;
    enum diff_scale scale;
    struct diff_gates gates;
};

struct diff_inputs {
    struct recording *before, *after; /* one and the same for two stretches of a file */
    const char *before_name, *after_name;
};

static int parse_fail_if(void *into, const char *name, const char *value, struct fault *fault)
{
    (void)name;
    return diff_gates_parse(&((struct diff_diff_options *)into)->gates, value, fault);
}

static const struct option_rule diff_rules[] = {
    {"--fail-if", "CONDITION",
     "exit 1 when true: 'heap.peak>+5%', '>+10M', '>=512M'; may be repeated",
     OPTION_CALLBACK(parse_fail_if)},
    {"--lines", NULL, "call sites differ also by file and line",
     OPTION_FLAG(struct diff_diff_options, lines)},
    {"--normalise", "HOW", "scale: none (default); time: per second; total: by share",
     OPTION_CHOICE(struct diff_diff_options, scale, diff_scale_names)},
    {"--folded", NULL, "print folded stacks with two columns, before and after",
     OPTION_FLAG(struct diff_diff_options, folded)},
    {.name = NULL},
};

static const char *const shared_rules[] = {
    "--metric", "--by",   "--at",   "--between", "--filter", "--top",      "--threshold",
    "--node",   "--kind", "--json", "--csv",     "-o",       "--no-color", NULL};
static const char *const with_rules[] = {"--between", "--at", NULL};

/* Whether the newer side was given a time. */
static bool has_own_time(const struct diff_diff_options *options)
{
    return options->after.between_given || options->after.at_given;
}

/* The weights of one side, by what it shares with the other and by its own time. */
static int weigh_side(const struct diff_diff_options *options, const struct diff_inputs *inputs,
                      bool is_after, struct weights *weights, struct fault *fault)
{
    struct selection one = options->before; /* borrowed: the pattern stays with its owner */
    struct recording *recording = is_after ? inputs->after : inputs->before;
    if (is_after && has_own_time(options)) {
        one.at_given = options->after.at_given;
        one.between_given = options->after.between_given;
        one.from = options->after.from;
        one.to = options->after.to;
    }
    int const err = selection_check_named(
        &one, recording, is_after ? inputs->after_name : inputs->before_name, fault);
    return err ? err : selection_weigh(&one, recording, weights, fault);
}

static int weigh_both(const struct diff_diff_options *options, const struct diff_inputs *inputs,
                      struct weights weights[2], struct fault *fault)
{
    int err = weigh_side(options, inputs, false, &weights[0], fault);
    if (err)
        return err;
    err = weigh_side(options, inputs, true, &weights[1], fault);
    if (err)
        weights_fini(&weights[0]);
    return err;
}

/* Of the peak, and of what is live at the end, the range is known that the number may be in. */
static struct value_range range_of(const struct recording *recording, const struct metric *metric,
                                   int64_t value)
{
    const struct totals *heap = &recording->heap;
    struct value_range const itself = {(uint64_t)value, (uint64_t)value};
    if (value < 0 || strncmp(metric->name, "heap.", 5) != 0 || strcmp(metric->unit, "bytes") != 0)
        return itself;
    if (metric->kind == METRIC_PINNED && (uint64_t)value == heap->peak_bytes)
        return losses_of_peak(recording);
    if (metric->kind == METRIC_LEVEL && (uint64_t)value == heap->bytes - heap->freed_bytes)
        return losses_of_live(recording, value);
    return itself;
}

static void put_value(const struct recording *recording, const struct metric *metric, int64_t value)
{
    struct value_range const range = range_of(recording, metric, value);
    char text[HUMAN_MAX], low[HUMAN_MAX], high[HUMAN_MAX];
    fputs(human_value(value, metric->unit, text), stderr);
    if (range.low < range.high)
        fprintf(stderr, " (between %s and %s)", human_bytes((int64_t)range.low, low),
                human_bytes((int64_t)range.high, high));
}

/* 1 when the condition holds, 0 when not, or -errno. */
static int judge(const struct diff_diff_options *options, const struct diff_inputs *inputs,
                 const struct diff_gate *gate, struct fault *fault)
{
    struct diff_diff_options with_metric = *options;
    struct weights weights[2];
    with_metric.before.metric = gate->metric;
    int err = weigh_both(&with_metric, inputs, weights, fault);
    if (err)
        return err;
    int64_t before = weights[0].total_value, after = weights[1].total_value;
    weights_fini(&weights[0]);
    weights_fini(&weights[1]);
    if (!diff_gate_holds(gate, before, after))
        return 0;
    fprintf(stderr, "memoir diff: %s holds: %s went from ", gate->text, gate->metric->name);
    put_value(inputs->before, gate->metric, before);
    fputs(" to ", stderr);
    put_value(inputs->after, gate->metric, after);
    if (before > 0)
        fprintf(stderr, " (%+.1f %%)", 100 * ((double)after - (double)before) / (double)before);
    fputc('\n', stderr);
    return 1;
}

static int judge_all(const struct diff_diff_options *options, const struct diff_inputs *inputs)
{
    int status = 0;
    for (size_t i = 0; i < options->gates.count; i++) {
        struct fault fault = {.text = ""};
        int result = judge(options, inputs, &options->gates.gates[i], &fault);
        if (result < 0)
            command_failed("diff", &fault);
        if (result != 0)
            status = 1;
    }
    return status;
}

static uint64_t smallest_shown(const struct selection *selection, const struct weights weights[2])
{
    int64_t before = llabs(weights[0].total_value), after = llabs(weights[1].total_value);
    double share = selection->threshold_share * (double)(before > after ? before : after);
    if (!selection->threshold_given)
        return 0;
    return share > 0 ? (uint64_t)ceil(share) : selection->threshold_value;
}

static int write_answer(const struct diff_diff_options *options, const struct diff_view *view,
                        struct fault *fault)
{
    const struct selection *selection = &options->before;
    FILE *out = answer_open(selection->output, fault);
    if (!out)
        return -EIO;
    int err;
    if (selection->json) {
        err = diff_json_write(view, out);
    } else if (selection->csv) {
        err = diff_csv_write(view, out);
    } else {
        struct text_style style = {.width = answer_width(out),
                                   .color = answer_wants_color(out, selection->no_color)};
        err = diff_text_write(view, &style, out);
    }
    if (err)
        fault_set(fault, err, "not enough memory to write the difference");
    int closed = answer_close(out, selection->output, err ? NULL : fault);
    return err ? err : closed;
}

/* The rows, as text, JSON or CSV.  The older weights become as compared. */
static int write_rows(const struct diff_diff_options *options, const struct diff_inputs *inputs,
                      struct weights weights[2], const struct diff_noise *noise,
                      struct fault *fault)
{
    const struct selection *selection = &options->before;
    struct diff diff;
    bool is_text = !selection->json && !selection->csv;
    weights_scale(&weights[0], noise->factor);
    int err = diff_build((struct diff_side){inputs->before, &weights[0]},
                         (struct diff_side){inputs->after, &weights[1]}, selection->by,
                         options->lines, &diff);
    if (err)
        return fault_set(fault, err, "not enough memory to compare the recordings");
    struct diff_view view = {.diff = &diff,
                             .before_name = inputs->before_name,
                             .after_name = inputs->after_name,
                             .top = selection->top,
                             .smallest = smallest_shown(selection, weights),
                             .depth = TEXT_DEPTH,
                             .noise = noise};
    if (view.top == SELECTION_NO_TOP && is_text)
        view.top = TEXT_ROWS;
    err = write_answer(options, &view, fault);
    diff_fini(&diff);
    return err;
}

static int write_folded(const struct diff_diff_options *options, struct diff_side before,
                        struct diff_side after, const struct diff_noise *noise, struct fault *fault)
{
    struct stack_union all;
    struct diff_tree tree;
    int err = stack_union_build(before, after, &all);
    if (err)
        return fault_set(fault, err, "not enough memory to compare the recordings");
    err = diff_tree_build(&all, noise, false, &tree);
    FILE *out = err ? NULL : answer_open(options->before.output, fault);
    if (out) {
        err = diff_folded_write(all.recording, &tree, out);
        int const closed = answer_close(out, options->before.output, err ? NULL : fault);
        err = err ? fault_set(fault, err, "not enough memory to write the difference") : closed;
    } else if (!err) {
        err = -EIO;
    }
    diff_tree_fini(&tree);
    stack_union_fini(&all);
    return err;
}

static int compare(const struct diff_diff_options *options, const struct diff_inputs *inputs)
{
    struct fault fault = {.text = ""};
    struct weights weights[2];
    double factor;
    if (weigh_both(options, inputs, weights, &fault) < 0)
        return command_failed("diff", &fault);
    struct diff_side const before = {inputs->before, &weights[0]};
    struct diff_side const after = {inputs->after, &weights[1]};
    int err = diff_scale_factor(options->scale, &before, &after, &factor, &fault);
    if (!err) {
        struct diff_noise const noise = diff_noise_of(&before, &after, factor);
        err = options->folded ? write_folded(options, before, after, &noise, &fault)
                              : write_rows(options, inputs, weights, &noise, &fault);
    }
    weights_fini(&weights[0]);
    weights_fini(&weights[1]);
    return err ? command_failed("diff", &fault) : judge_all(options, inputs);
}

/* What cannot be had together, as a sentence; NULL when all is well. */
static const char *conflict(const struct diff_diff_options *options, int words)
{
    bool const stretches = has_own_time(options);
    bool const begins = options->before.between_given || options->before.at_given;
    if (options->before.by == BY_PHASE)
        return "phases of two runs cannot be matched: compare two of them with --between phase:A "
               "and "
               "--with phase:B, or list them with memoir report --by phase";
    if (options->before.by == BY_THREAD)
        return "threads of two runs cannot be matched: use --by stack, function, line "
               "or module";
    if (options->after.between_given && options->after.at_given)
        return "choose one of --with and --with-at";
    if (words == 1 && (!stretches || !begins))
        return "name two recordings, or one recording and two time ranges or two instants: memoir "
               "diff FILE --between 0,1h --with 1h,2h, or --at 1h --with-at 2h";
    if (words != 1 && words != 2)
        return "name the older and the newer recording: memoir diff BEFORE AFTER";
    if (words == 2 && stretches)
        return "--with and --with-at are for two times of one recording: leave them out, or name "
               "one FILE";
    if (options->before.json + options->before.csv + options->folded > 1)
        return "choose one of --json, --csv and --folded";
    if (options->folded && (options->before.by_given || options->lines))
        return "--folded prints whole stacks: leave --by and --lines out";
    return NULL;
}

/* What both count, where --metric did not say it or named what only they have. */
static int choose_metric(struct diff_diff_options *options, const struct diff_inputs *inputs,
                         struct fault *fault)
{
    struct selection *selection = &options->before;
    const struct recording *before = inputs->before;
    int const err = selection_find_metrics(selection, before, fault);
    if (err)
        return err;
    (void)selection_choose_compared(selection, before, selection_compared_times(selection));
    if (!selection->metric_given)
        tell_other_metrics("diff", before, selection->metric);
    const struct metric *other = recording_metric(inputs->after, selection->metric->name);
    if (other && other->plus == selection->metric->plus)
        return 0;
    return fault_set(fault, -EINVAL, "%s counts %s, and %s does not", inputs->before_name,
                     selection->metric->name, inputs->after_name);
}

static int open_and_compare(struct diff_diff_options *options, int words, char **argv)
{
    struct fault fault = {.text = ""};
    struct diff_inputs inputs = {.before_name = argv[1], .after_name = argv[words]};
    confine_to(argv[1], words == 1 ? NULL : argv[2], options->before.output, CONFINE_READER);
    inputs.before = open_selected_input(argv[1], &options->before, &fault);
    if (!inputs.before)
        return command_failed("diff", &fault);
    inputs.after =
        words == 1 ? inputs.before : open_selected_input(argv[2], &options->before, &fault);
    int status;
    if (inputs.after && choose_metric(options, &inputs, &fault) == 0)
        status = compare(options, &inputs);
    else
        status = command_failed("diff", &fault);
    if (inputs.after != inputs.before)
        recording_destroy(inputs.after);
    recording_destroy(inputs.before);
    return status;
}

static int run(int argc, char **argv, struct diff_diff_options *options)
{
    struct option_rule shared[PICKED_MAX], with[PICKED_MAX];
    pick_rules(selection_rules, shared_rules, shared);
    shared[1].help = "one row per stack (default), function, line or module"; /* --by */
    pick_rules(selection_rules, with_rules, with);
    with[0].name = "--with";
    with[0].help = "later time range of one recording, compared with --between";
    with[1].name = "--with-at";
    with[1].help = "later instant of one recording, compared with --at";
    const struct option_set sets[] = {{"Comparing", diff_rules, options},
                                      {NULL, with, &options->after},
                                      {"Choosing", shared, &options->before}};
    const struct command_help help = {
        .usage = "memoir diff BEFORE AFTER [options]\n"
                 "       memoir diff FILE --between A,B --with C,D [options]\n"
                 "       memoir diff FILE --at T --with-at U [options]",
        .summary = "Shows which call sites are new, gone, grown and shrunk.  memoir matches call "
                   "sites by module, function and callers, not by address, so you can compare "
                   "different builds.",
        .examples =
            "  memoir diff old.memoir new.memoir\n"
            "  memoir diff old.memoir new.memoir --metric heap.calls --by function\n"
            "  memoir diff base.memoir pr.memoir --fail-if 'heap.peak>+5%,heap.leaked>+64K'\n"
            "  memoir diff node.memoir --between 0,1h --with 1h,2h --metric heap.live\n"
            "  memoir diff node.memoir --at 1h --with-at 2h --metric heap.live\n"
            "  memoir diff old.memoir new.memoir --metric cpu.on --normalise time --folded\n",
        .sets = sets,
        .set_count = sizeof(sets) / sizeof(sets[0])};
    int status;
    int words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    const char *problem = conflict(options, words);
    if (problem)
        return command_misused("diff", problem);
    return open_and_compare(options, words, argv);
}

int cmd_diff(int argc, char **argv)
{
    struct diff_diff_options options = {.lines = false};
    selection_init(&options.before);
    selection_init(&options.after);
    int status = run(argc, argv, &options);
    selection_fini(&options.before);
    return status;
}
