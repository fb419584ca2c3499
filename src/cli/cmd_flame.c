/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "cli/commands.h"
#include "cli/picture_command.h"
#include "report/flame_svg.h"

#define CHOICE_MAX 200

struct flame_command {
    struct selection selection;
    struct flame_options options;
    char choice[CHOICE_MAX]; /* what --filter did, for the subtitle */
};

static int take_icicle(void *into, const char *argument, struct fault *fault)
{
    (void)argument, (void)fault;
    ((struct flame_command *)into)->options.icicle = true;
    return 0;
}

static int take_title(void *into, const char *argument, struct fault *fault)
{
    (void)fault;
    ((struct flame_command *)into)->options.title = argument;
    return 0;
}

static int take_width(void *into, const char *argument, struct fault *fault)
{
    return picture_take_pixels(&((struct flame_command *)into)->options.width, argument, fault);
}

static int take_colors(void *into, const char *argument, struct fault *fault)
{
    static const char *const names[] = {
        [FLAME_BY_MODULE] = "module", [FLAME_HOT] = "hot", [FLAME_MEM] = "mem"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(argument, names[i]) == 0) {
            ((struct flame_command *)into)->options.colors = (enum flame_colors)i;
            return 0;
        }
    }
    return fault_set(fault, -EINVAL, "--colors cannot be \"%s\": it is module, hot or mem",
                     argument);
}

static const struct option_rule flame_rules[] = {
    {"--icicle", NULL, "the root on top", take_icicle},
    {"--width", "PIXELS", "of the static picture, 1200 unless given", take_width},
    {"--title", "TEXT", "instead of the program's name", take_title},
    {"--colors", "WHICH", "module (default): a hue per library; hot; mem", take_colors},
    {NULL, NULL, NULL, NULL},
};

static const char flame_summary[] =
    "Draws the call stacks as a flame graph: the wider a function, the more memory it and what it\n"
    "calls hold.  The SVG is one file; a browser zooms (click, Enter), searches (/), resets\n"
    "(Escape), reverses (r) and turns it over (i), and its link keeps what you see.";

static const char flame_examples[] =
    "  memoir flame node.4711.memoir -o peak.svg\n"
    "  memoir flame node.4711.memoir -o leaked.svg --metric heap.leaked --colors mem\n"
    "  memoir flame node.4711.memoir -o grown.png --metric heap.live --between 1h,2h\n";

/* Says in the subtitle what --filter kept, and of how much. */
static int describe_filter(struct flame_command *command, struct recording *recording,
                           const struct weights *kept, struct fault *fault)
{
    struct weights all;
    struct time_range range;
    char share[HUMAN_MAX], total[HUMAN_MAX];
    int err = selection_range(&command->selection, recording, &range, fault);
    if (!err)
        err = weigh_stacks(recording, kept->metric, range, &all, fault);
    if (err)
        return err;
    snprintf(command->choice, sizeof(command->choice), "only stacks with \"%.80s\": %s of %s",
             command->selection.filter, human_share(kept->total_value, all.total_value, share),
             human_value(all.total_value, kept->metric->unit, total));
    command->options.choice = command->choice;
    weights_fini(&all);
    return 0;
}

static void apply_threshold(struct flame_command *command, const struct weights *weights)
{
    const struct selection *selection = &command->selection;
    command->options.threshold = selection->threshold_share;
    if (selection->threshold_given && selection->threshold_value && weights->total_value > 0)
        command->options.threshold =
            (double)selection->threshold_value / (double)weights->total_value;
}

static int draw(void *context, struct recording *recording, enum picture_format format,
                struct fault *fault)
{
    struct flame_command *command = context;
    struct svg_out out = {0};
    struct weights weights;
    const char *note = selection_choose_metric(&command->selection, recording);
    if (note)
        fprintf(stderr, "memoir flame: note: %s\n", note);
    int err = selection_weigh(&command->selection, recording, &weights, fault);
    if (err)
        return err;
    if (command->selection.filter)
        err = describe_filter(command, recording, &weights, fault);
    apply_threshold(command, &weights);
    command->options.reverse = command->selection.reverse;
    if (!err)
        err = flame_svg_render(recording, &weights, &command->options, &out, fault);
    if (!err)
        err = picture_write(&out, command->selection.output, format, fault);
    svg_out_fini(&out);
    weights_fini(&weights);
    return err;
}

int cmd_flame(int argc, char **argv)
{
    static const struct picture_rule chosen[] = {
        {"-o", "what to write: NAME.svg or NAME.png"},
        {"--metric", NULL},
        {"--at", NULL},
        {"--between", NULL},
        {"--filter", NULL},
        {"--threshold", "merge frames under X into one \"…\": 1% of the total, or 64K"},
        {"--reverse", "begin with the reversed graph: the code that asked at the root"},
        {NULL, NULL}};
    struct option_rule rules[PICTURE_RULES_MAX];
    struct flame_command command = {0};
    int status;
    selection_init(&command.selection);
    picture_pick_rules(chosen, rules);
    struct option_set const sets[] = {{"Choosing", rules, &command.selection},
                                      {"The picture", flame_rules, &command}};
    struct command_help const help = {"memoir flame FILE -o OUT.svg|OUT.png [options]",
                                      flame_summary, flame_examples, sets, 2};
    int const words = command_words(argc, argv, &help, &status);
    if (words >= 0)
        status =
            picture_run(&(struct picture_job){"flame", command.selection.output, draw, &command},
                        words == 1 ? argv[1] : NULL);
    selection_fini(&command.selection);
    return status;
}
