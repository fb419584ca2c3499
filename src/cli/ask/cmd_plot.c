/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "cli/ask/commands.h"
#include "cli/shared/other_metrics.h"
#include "cli/shared/picture_command.h"
#include "report/plot/plot_svg.h"

struct plot_command {
    struct selection selection;
    struct plot_options options;
};

static const struct option_rule plot_rules[] = {
    {"--width", "PIXELS", "width of the picture (1200)",
     PICTURE_PIXELS(struct plot_command, options.width)},
    {"--height", "PIXELS", "height of the picture (640)",
     PICTURE_PIXELS(struct plot_command, options.height)},
    {"--title", "TEXT", "title of the picture (name of the program)",
     OPTION_TEXT(struct plot_command, options.title)},
    {.name = NULL},
};

static const char plot_summary[] =
    "Draws memory over time: live heap, RSS, allocation rate, and the functions that hold "
    "most,\nstacked (--top N of them; 8 is the default).  The default metric is heap.live; a "
    "metric that\nonly adds up, such as heap.calls, is drawn per second.";

static const char plot_examples[] =
    "  memoir plot node.4711.memoir -o memory.svg\n"
    "  memoir plot node.4711.memoir -o hour.png --between 1h,2h --top 12\n"
    "  memoir plot node.4711.memoir -o calls.svg --metric heap.calls\n"
    "  memoir plot RUN -o nodes.svg                          the heaps of a run, node by node\n";

static int draw(void *context, struct recording *recording, enum picture_format format,
                struct fault *fault)
{
    struct plot_command *command = context;
    struct selection *selection = &command->selection;
    struct svg_out out = {0};
    struct plot_options *options = &command->options;
    int err = selection_find_metrics(selection, recording, fault);
    if (err)
        return err;
    if (!recording_traces_heap(recording) || !recording_knows_live(recording)) {
        (void)selection_choose_metric(selection, recording);
        if (!selection->metric_given)
            tell_other_metrics("plot", recording, selection->metric);
        selection->metric_given = true;
    }
    if (selection->metric_given)
        err = selection_check_metric(selection, recording, fault);
    if (err)
        return err;
    options->metric = selection->metric_given ? selection->metric : NULL;
    options->top = selection->top < PLOT_SITES_MAX      ? (unsigned)selection->top
                   : selection->top == SELECTION_NO_TOP ? PLOT_TOP_DEFAULT
                                                        : PLOT_SITES_MAX;
    err = selection_range(selection, recording, &options->range, fault);
    if (!err)
        err = plot_svg_render(recording, options, &out, fault);
    if (!err)
        err = picture_write(&out, selection->output, format, fault);
    svg_out_fini(&out);
    return err;
}

int cmd_plot(int argc, char **argv)
{
    static const struct picture_rule chosen[] = {
        {"-o", "what to write: NAME.svg, NAME.html or NAME.png"},
        {"--metric", "what to stack: heap.live (default), maps.live, heap.calls, ..."},
        {"--between", "only the time from A to B"},
        {"--node", NULL},
        {"--kind", NULL},
        {"--top", "functions with their own colour: 8 is the default, at most 16"},
        {NULL, NULL}};
    struct option_rule rules[PICTURE_RULES_MAX];
    struct plot_command command = {0};
    int status;
    selection_init(&command.selection);
    picture_pick_rules(chosen, rules);
    struct option_set const sets[] = {{"Choosing", rules, &command.selection},
                                      {"The picture", plot_rules, &command}};
    struct command_help const help = {"memoir plot FILE -o OUT.svg|OUT.html|OUT.png [options]",
                                      plot_summary, plot_examples, sets, 2};
    int const words = command_words(argc, argv, &help, &status);
    if (words >= 0)
        status = picture_run(&(struct picture_job){"plot", command.selection.output, draw, &command,
                                                   &command.selection, NULL, CONFINE_READER},
                             words == 1 ? argv[1] : NULL);
    selection_fini(&command.selection);
    return status;
}
