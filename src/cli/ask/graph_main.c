/* SPDX-License-Identifier: Apache-2.0 */
/* graph_main.c - the program memoir-graph: draws the call graph of a recording.  It is a program of
 * its own because graphviz is large. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_scale.h"
#include "analyze/diff/stack_union.h"
#include "base/human.h"
#include "base/terminal.h"
#include "cli/shared/open_input.h"
#include "cli/shared/options.h"
#include "cli/shared/other_metrics.h"
#include "cli/shared/picture_command.h"
#include "report/graph/graph_choice.h"
#include "report/graph/graph_json.h"
#include "report/graph/graph_svg.h"

/* What is left out; into a struct graph_choice. */
static const struct option_rule choice_rules[] = {
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

#define CHOICE_MAX 400
#define SKEW_MAX   1e6

struct graph_command {
    struct selection selection;
    struct graph_choice choice;
    struct graph_options options;
    char words[CHOICE_MAX];       /* what narrowed the stacks, for the subtitle */
    int64_t all_value, all_count; /* before --focus */
    const char *older;            /* --diff, or NULL */
    enum diff_scale scale;
};

static int handle_theme(void *into, const char *name, const char *value, struct fault *fault)
{
    struct graph_command *command = into;
    const struct graph_theme *theme = graph_theme_find(value);
    if (!theme)
        return fault_set(fault, -EINVAL,
                         "%s cannot be \"%s\": it is color, pink, gray, bw or print", name, value);
    command->options.theme = theme;
    return 0;
}

static const struct option_rule picture_rules[] = {
    {"--diff", "OLDER", "what changed since OLDER, another recording: grown red, shrunk blue",
     OPTION_TEXT(struct graph_command, older)},
    {"--normalise", "HOW", "scale of --diff: none (default); time: per second; total: by share",
     OPTION_CHOICE(struct graph_command, scale, diff_scale_names)},
    {"--theme", "NAME", "colours: color (default), pink, gray, bw or print",
     OPTION_CALLBACK(handle_theme)},
    {"--skew", "S", "colour scale: below 1 spreads small shares, above 1 large shares",
     OPTION_FRACTION_ABOVE(struct graph_command, options.skew, 0, SKEW_MAX)},
    {"--color-nodes-by-selftime", NULL,
     "colour by the value of the function itself, without its "
     "callees",
     OPTION_FLAG(struct graph_command, options.color_by_self)},
    {"--title", "TEXT", "title of the picture (name of the program)",
     OPTION_TEXT(struct graph_command, options.title)},
    {.name = NULL},
};

static const char summary[] =
    "Draws which function calls which: every function once, with its total (itself and "
    "everything\nthat it calls), its own value, and the value of each call.  Sums are exact, also "
    "with recursion.\nIn a browser: point at a function to see its neighbours, click it to see all "
    "its callers and\ncallees, / searches, the wheel zooms, 0 shows the whole graph.";

static const char examples[] =
    "  memoir graph node.4711.memoir -o calls.svg --metric cpu.on\n"
    "  memoir graph node.4711.memoir -o peak.html\n"
    "  memoir graph node.4711.memoir -o parse.png --metric heap.allocated --root '^parse_'\n"
    "  memoir graph node.4711.memoir -o who.svg --metric cpu.off --leaf '^fsync$'\n"
    "  memoir graph node.4711.memoir -o around.svg --focus parse_block\n"
    "  memoir graph node.4711.memoir -o libs.svg --by module -n 0\n"
    "  memoir graph new.memoir --diff old.memoir -o change.svg --metric cpu.on --normalise time\n"
    "  memoir graph node.4711.memoir -o calls.dot && dot -Tpdf calls.dot >calls.pdf\n";

static int draw_placed(const struct graph_scene *scene, enum picture_format format,
                       struct svg_out *out, struct fault *fault)
{
    struct graph_layout layout = {0};
    int err = graph_measure(scene, &layout);
    err = err ? fault_set(fault, err, "out of memory while drawing the graph")
              : graph_layout_run(&layout, fault);
    if (!err && format == PICTURE_HTML)
        graph_html_write(scene, &layout, out);
    else if (!err)
        graph_svg_write(scene, &layout, out);
    graph_layout_fini(&layout);
    return err;
}

static int write_json(const struct graph_command *command, const struct graph_scene *scene,
                      struct svg_out *out)
{
    struct graph_answer const answer = {.recording = scene->recording,
                                        .weights = scene->weights,
                                        .graph = scene->graph,
                                        .choice = &command->choice,
                                        .all_value = command->all_value,
                                        .all_count = command->all_count};
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return -ENOMEM;
    int err = graph_json_write(&answer, file);
    if (fclose(file) != 0)
        err = -ENOMEM;
    if (!err)
        svg_bytes(out, text, size);
    free(text);
    return err;
}

static int draw_graph(const struct graph_command *command, const struct graph_scene *scene,
                      enum picture_format format, struct fault *fault)
{
    struct svg_out out = {0};
    int err = 0;
    if (format == PICTURE_DOT)
        graph_dot_write(scene, &out);
    else if (format == PICTURE_JSON)
        err = write_json(command, scene, &out);
    else
        err = draw_placed(scene, format, &out, fault);
    if ((!err && out.failed) || err == -ENOMEM)
        err = fault_set(fault, -ENOMEM, "out of memory while drawing the graph");
    if (!err) /* a page is whole already */
        err = picture_write(&out, command->selection.output,
                            format == PICTURE_PNG ? PICTURE_PNG : PICTURE_SVG, fault);
    svg_out_fini(&out);
    return err;
}

static int draw_weights(struct graph_command *command, struct recording *recording,
                        const struct weights *weights, enum picture_format format,
                        struct fault *fault)
{
    struct graph_rules const rules = graph_choice_rules(&command->choice);
    struct call_graph graph;
    int err = call_graph_build(recording, weights, &rules, &graph, fault);
    if (err)
        return err;
    command->options.choice = command->words[0] ? command->words : NULL;
    struct graph_scene scene = {
        .recording = recording, .weights = weights, .graph = &graph, .options = &command->options};
    graph_scene_init(&scene);
    err = draw_graph(command, &scene, format, fault);
    call_graph_fini(&graph);
    return err;
}

/* Unsigned, so that nonsense in a damaged file wraps instead of trapping. */
static int64_t minus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* More of the newer, less of the older; the graph adds up what is of the same functions. */
static int list_change(const struct stack_union *all, struct weights *change)
{
    *change =
        (struct weights){.metric = all->after.metric,
                         .used = all->after.used,
                         .total_value = minus(all->after.total_value, all->before.total_value),
                         .total_count = minus(all->after.total_count, all->before.total_count)};
    if (!vec_reserve(&change->rows, all->after.rows.count + all->before.rows.count))
        return -ENOMEM;
    vec_each (row, &all->after.rows)
        vec_push(&change->rows, *row);
    vec_each (row, &all->before.rows)
        vec_push(&change->rows, (struct weight){row->key, minus(0, row->value),
                                                minus(0, row->count), row->spread});
    return 0;
}

/* The change from `before`, which is multiplied by a factor, to `after`. */
static int draw_change(struct graph_command *command, struct diff_side before,
                       struct diff_side after, enum picture_format format, struct fault *fault)
{
    const char *unit = after.weights->metric->unit;
    size_t const used = strlen(command->words);
    char was[HUMAN_MAX], is[HUMAN_MAX];
    struct stack_union all;
    struct weights change;
    double factor;
    int err = diff_scale_factor(command->scale, &before, &after, &factor, fault);
    if (err)
        return err;
    err = stack_union_build(before, after, &all);
    if (err)
        return fault_set(fault, err, "out of memory while comparing");
    weights_scale(&all.before, factor);
    snprintf(command->words + used, sizeof(command->words) - used,
             "%schange since %.80s, from %s to %s: grown is red, shrunk is blue", used ? "; " : "",
             command->older, human_value(all.before.total_value, unit, was),
             human_value(all.after.total_value, unit, is));
    command->options.is_change = true;
    err = list_change(&all, &change);
    err = err ? fault_set(fault, err, "out of memory while comparing")
              : draw_weights(command, all.recording, &change, format, fault);
    weights_fini(&change);
    stack_union_fini(&all);
    return err;
}

static int draw_diff(struct graph_command *command, struct diff_side after,
                     enum picture_format format, struct fault *fault)
{
    struct weights weights;
    struct recording *older = open_selected_input(command->older, &command->selection, fault);
    int err =
        older ? selection_check_named(&command->selection, older, command->older, fault) : -EIO;
    if (!err)
        err = selection_weigh(&command->selection, older, &weights, fault);
    if (!err) {
        err = graph_choice_narrow(&command->choice, older, &weights);
        err = err ? fault_set(fault, err, "out of memory while looking for the function")
                  : draw_change(command, (struct diff_side){older, &weights}, after, format, fault);
        weights_fini(&weights);
    }
    recording_destroy(older);
    return err;
}

static int draw(void *context, struct recording *recording, enum picture_format format,
                struct fault *fault)
{
    struct graph_command *command = context;
    struct weights weights;
    int err = selection_find_metrics(&command->selection, recording, fault);
    if (err)
        return err;
    struct selection *selection = &command->selection;
    const char *note =
        command->older
            ? selection_choose_compared(selection, recording, selection_compared_times(selection))
            : selection_choose_metric(selection, recording);
    if (note)
        fprintf(stderr, "memoir graph: note: %s\n", note);
    if (!command->selection.metric_given)
        tell_other_metrics("graph", recording, command->selection.metric);
    err = selection_check_metric(&command->selection, recording, fault);
    if (!err)
        err = selection_weigh(&command->selection, recording, &weights, fault);
    if (err)
        return err;
    if (command->selection.filter)
        err = selection_describe_filter(&command->selection, recording, &weights, command->words,
                                        sizeof(command->words), fault);
    command->all_value = weights.total_value;
    command->all_count = weights.total_count;
    if (!err && graph_choice_narrow(&command->choice, recording, &weights) < 0)
        err = fault_set(fault, -ENOMEM, "out of memory while looking for the function");
    graph_choice_describe(&command->choice, command->words, sizeof(command->words));
    if (!err && command->older)
        err = draw_diff(command, (struct diff_side){recording, &weights}, format, fault);
    else if (!err)
        err = draw_weights(command, recording, &weights, format, fault);
    weights_fini(&weights);
    return err;
}

static int check(struct graph_command *command, struct fault *fault)
{
    switch (command->selection.by) {
    case BY_FUNCTION:
        command->choice.merge = MERGE_FUNCTION;
        return 0;
    case BY_LINE:
        command->choice.merge = MERGE_LINE;
        return 0;
    case BY_MODULE:
        command->choice.merge = MERGE_MODULE;
        return 0;
    default:
        return fault_set(fault, -EINVAL, "--by is function, line or module for a graph");
    }
}

static int find_format(const char *path, enum picture_format *format, struct fault *fault)
{
    *format = picture_is_json(path) ? PICTURE_JSON : PICTURE_DOT;
    return picture_is_json(path) || picture_is_dot(path) ? 0
                                                         : picture_format_of(path, format, fault);
}

static int run(struct graph_command *command, const char *path)
{
    struct fault fault = {0};
    if (check(command, &fault) < 0)
        return command_misused("graph", fault.text);
    return picture_run_as(&(struct picture_job){"graph", command->selection.output, draw, command,
                                                &command->selection, command->older, CONFINE_GRAPH},
                          path, find_format);
}

int main(int argc, char **argv)
{
    static const struct picture_rule chosen[] = {
        {"-o", "what to write: NAME.svg, NAME.html, NAME.png, NAME.dot or NAME.json"},
        {"--metric", NULL},
        {"--at", NULL},
        {"--between", NULL},
        {"--filter", NULL},
        {"--node", NULL},
        {"--kind", NULL},
        {"--by", "a box per function (default), line or module"},
        {NULL, NULL}};
    struct option_rule rules[PICTURE_RULES_MAX];
    struct graph_command command = {.options = {.theme = graph_themes, .skew = 1}};
    int status;
    terminal_guard();
    if (argc < 2) {
        fprintf(stderr, "memoir-graph: a part of memoir; use `memoir graph`\n");
        return 2;
    }
    selection_init(&command.selection);
    command.selection.by = BY_FUNCTION;
    graph_choice_init(&command.choice);
    picture_pick_rules(chosen, rules);
    struct option_set const sets[] = {{"Choosing", rules, &command.selection},
                                      {"What to show", choice_rules, &command.choice},
                                      {"The picture", picture_rules, &command}};
    struct command_help const help = {
        "memoir graph FILE -o OUT.svg|OUT.html|OUT.png|OUT.dot|OUT.json [options]", summary,
        examples, sets, 3};
    int const words = command_words(argc - 1, argv + 1, &help, &status);
    if (words >= 0)
        status = run(&command, words == 1 ? argv[2] : NULL);
    graph_choice_fini(&command.choice);
    selection_fini(&command.selection);
    return status;
}
