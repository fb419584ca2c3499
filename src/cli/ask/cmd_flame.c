/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "cli/ask/commands.h"
#include "cli/ask/flame_command.h"
#include "report/flame/flame_heat.h"

static const char *const color_names[] = {[FLAME_BY_MODULE] = "module",
                                          [FLAME_HOT] = "hot",
                                          [FLAME_MEM] = "mem",
                                          [FLAME_BY_KIND] = "kind",
                                          NULL};

static const struct option_rule flame_rules[] = {
    {"--heat", NULL, "add a heat map of each second; a click shows its graph (cpu.on, cpu.off)",
     OPTION_FLAG(struct flame_command, heat)},
    {"--diff", "OLDER", "what changed since OLDER, another recording: grown red, shrunk blue",
     OPTION_TEXT(struct flame_command, diff)},
    {"--normalise", "HOW", "scale of --diff: none (default); time: per second; total: by share",
     OPTION_CHOICE(struct flame_command, scale, diff_scale_names)},
    {"--by-thread", NULL, "one root per thread (cpu.on, cpu.off)",
     OPTION_FLAG(struct flame_command, by_thread)},
    {"--fold-threads", NULL,
     "as --by-thread, with one root for threads whose names differ only in digits",
     OPTION_VALUE(struct flame_command, thread_names, THREADS_FOLDED),
     OPTION_ALSO(struct flame_command, by_thread)},
    {"--icicle", NULL, "draw the root on top", OPTION_FLAG(struct flame_command, options.icicle)},
    {"--width", "PIXELS", "width of the static picture (1200)",
     PICTURE_PIXELS(struct flame_command, options.width)},
    {"--title", "TEXT", "title of the picture (name of the program)",
     OPTION_TEXT(struct flame_command, options.title)},
    {"--colors", "WHICH",
     "colours: module (default), a hue per library; kind: kernel, inlined, ...; hot: red to "
     "yellow; mem: greens",
     OPTION_CHOICE(struct flame_command, options.colors, color_names)},
    {.name = NULL},
};

static const char flame_summary[] =
    "Draws the call stacks as a flame graph: the wider a function, the more memory or time belongs "
    "to\nit and to the functions that it calls.  The SVG is one file.  In a browser: zoom (click, "
    "Enter),\nsearch (/), reset (Escape), reverse (r), root on top (i); the address keeps what you "
    "see.";

static const char flame_examples[] =
    "  memoir flame node.4711.memoir -o peak.svg\n"
    "  memoir flame node.4711.memoir -o leaked.svg --metric heap.leaked --colors mem\n"
    "  memoir flame node.4711.memoir -o grown.png --metric heap.live --between 1h,2h\n"
    "  memoir flame node.4711.memoir -o threads.html --metric cpu.on --fold-threads\n"
    "  memoir flame node.4711.memoir -o heat.html --heat\n"
    "  memoir flame new.memoir --diff old.memoir -o change.html --metric cpu.on --normalise time\n";

static int draw_one(struct flame_command *command, struct recording *recording, struct svg_out *out,
                    struct fault *fault)
{
    struct weights weights;
    int err = flame_weigh(command, recording, &weights, fault);
    if (err)
        return err;
    if (command->selection.filter)
        err = flame_describe_filter(command, recording, &weights, fault);
    flame_apply_threshold(command, &weights);
    if (!err)
        err = flame_svg_render(recording, &weights, &command->options, out, fault);
    weights_fini(&weights);
    return err;
}

static int draw_heat(struct flame_command *command, struct recording *recording,
                     struct svg_out *out, struct fault *fault)
{
    struct weights weights;
    struct moment_sums sums;
    int err = flame_weigh_moments(command, recording, &sums, &weights, fault);
    if (err)
        return err;
    if (command->selection.filter)
        err = flame_describe_filter(command, recording, &weights, fault);
    flame_apply_threshold(command, &weights);
    command->options.icicle = true; /* what it is of stands right under the map, however deep */
    if (!err)
        err = flame_heat_render(recording, &sums, &weights, &command->options, out, fault);
    moment_sums_fini(&sums);
    weights_fini(&weights);
    return err;
}

static int draw(void *context, struct recording *recording, enum picture_format format,
                struct fault *fault)
{
    struct flame_command *command = context;
    struct svg_out out = {0};
    int err = selection_find_metrics(&command->selection, recording, fault);
    if (err)
        return err;
    flame_choose_metric(command, recording);
    err = selection_check_metric(&command->selection, recording, fault);
    if (err)
        return err;
    command->options.reverse = command->selection.reverse;
    bool const is_diff = command->diff || command->with.between_given;
    err = is_diff         ? flame_draw_diff(command, recording, &out, fault)
          : command->heat ? draw_heat(command, recording, &out, fault)
                          : draw_one(command, recording, &out, fault);
    if (!err)
        err = picture_write(&out, command->selection.output, format, fault);
    svg_out_fini(&out);
    return err;
}

/* What cannot be had together, as a sentence; NULL when all is well. */
static const char *conflict(const struct flame_command *command)
{
    bool const is_stretch = command->with.between_given;
    if (command->heat && (command->diff || is_stretch))
        return "choose one of --heat and --diff or --with: a heat map shows one time range";
    if (command->diff && is_stretch)
        return "--with compares two time ranges of one recording, --diff two recordings: choose "
               "one";
    if (is_stretch && !command->selection.between_given)
        return "--with is the later of two time ranges: name the earlier one with --between A,B";
    return NULL;
}

static int run(int argc, char **argv, const struct command_help *help,
               struct flame_command *command)
{
    int status;
    int const words = command_words(argc, argv, help, &status);
    const char *problem = words < 0 ? NULL : conflict(command);
    if (words < 0)
        return status;
    if (problem)
        return command_misused("flame", problem);
    command->options.file = words == 1 ? argv[1] : NULL;
    struct picture_job const job = {"flame",       command->selection.output, draw,
                                    command,       &command->selection,       command->diff,
                                    CONFINE_READER};
    return picture_run(&job, command->options.file);
}

int cmd_flame(int argc, char **argv)
{
    static const struct picture_rule chosen[] = {
        {"-o", "what to write: NAME.svg, NAME.html or NAME.png"},
        {"--metric", NULL},
        {"--at", NULL},
        {"--between", NULL},
        {"--filter", NULL},
        {"--node", NULL},
        {"--kind", NULL},
        {"--threshold", "merge frames under X into one \"…\": 1% of the total, or 64K"},
        {"--reverse", "begin with the reversed graph: the code that asked for memory at the root"},
        {NULL, NULL}};
    static const struct picture_rule later[] = {
        {"--between", "what changed from --between A,B to C,D of the same recording"},
        {NULL, NULL}};
    struct option_rule rules[PICTURE_RULES_MAX], with[PICTURE_RULES_MAX];
    struct flame_command command = {0};
    selection_init(&command.selection);
    picture_pick_rules(chosen, rules);
    picture_pick_rules(later, with);
    with[0].name = "--with";
    with[0].argument = "C,D";
    struct option_set const sets[] = {{"Choosing", rules, &command.selection},
                                      {"Comparing", with, &command.with},
                                      {"The picture", flame_rules, &command}};
    struct command_help const help = {"memoir flame FILE -o OUT.svg|OUT.html|OUT.png [options]",
                                      flame_summary, flame_examples, sets, 3};
    int const status = run(argc, argv, &help, &command);
    selection_fini(&command.selection);
    return status;
}
