/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/human.h"
#include "cli/ask/flame_command.h"
#include "cli/shared/open_input.h"

/* Two runs of different length look different for that alone. */
static void note_times(const struct flame_diff *diff)
{
    uint64_t const older = diff_side_time(&diff->before), newer = diff_side_time(&diff->after);
    uint64_t const apart = older > newer ? older - newer : newer - older;
    char before[HUMAN_MAX], after[HUMAN_MAX];
    if (diff->scale != SCALE_NONE || diff->after.weights->metric->kind != METRIC_COUNTER ||
        apart <= newer / 10)
        return;
    fprintf(
        stderr,
        "memoir flame: note: the older one is of %s, the newer of %s; --normalise time compares "
        "them per second\n",
        human_duration(older, before), human_duration(newer, after));
}

static int compare(struct flame_command *command, const struct flame_diff *diff,
                   struct svg_out *out, struct fault *fault)
{
    note_times(diff);
    flame_apply_threshold(command, diff->after.weights);
    return flame_diff_render(diff, &command->options, out, fault);
}

/* What changed since another recording, over the same time of both. */
static int compare_files(struct flame_command *command, struct diff_side after, struct svg_out *out,
                         struct fault *fault)
{
    struct weights weights;
    struct recording *older = open_selected_input(command->diff, &command->selection, fault);
    if (!older)
        return -EIO;
    int err = selection_check_named(&command->selection, older, command->diff, fault);
    if (!err)
        err = flame_weigh(command, older, &weights, fault);
    if (!err) {
        struct flame_diff const diff = {{older, &weights}, after, command->diff, command->scale};
        err = compare(command, &diff, out, fault);
        weights_fini(&weights);
    }
    recording_destroy(older);
    return err;
}

/* What changed from one stretch of a recording to another. */
static int compare_stretches(struct flame_command *command, struct diff_side after,
                             struct svg_out *out, struct fault *fault)
{
    struct weights weights;
    char from[HUMAN_MAX], to[HUMAN_MAX], name[2 * HUMAN_MAX + 20];
    int err = flame_weigh(command, after.recording, &weights, fault);
    if (err)
        return err;
    snprintf(name, sizeof(name), "%s to %s", human_duration(weights.used.from_ns, from),
             human_duration(weights.used.to_ns, to));
    struct flame_diff const diff = {{after.recording, &weights}, after, name, command->scale};
    err = compare(command, &diff, out, fault);
    weights_fini(&weights);
    return err;
}

int flame_draw_diff(struct flame_command *command, struct recording *recording, struct svg_out *out,
                    struct fault *fault)
{
    struct weights weights;
    struct flame_command newer = *command; /* borrowed: the pattern stays with its owner */
    bool const is_one = command->with.between_given;
    if (command->by_thread && !is_one)
        newer.thread_names = command->thread_names = THREADS_FOLDED; /* numbers are of one run */
    if (is_one) {
        newer.selection.from = command->with.from;
        newer.selection.to = command->with.to;
    }
    int err = flame_weigh(&newer, recording, &weights, fault);
    if (err)
        return err;
    if (command->selection.filter)
        err = flame_describe_filter(&newer, recording, &weights, fault);
    command->options.choice = newer.options.choice;
    struct diff_side const after = {recording, &weights};
    if (!err)
        err = is_one ? compare_stretches(command, after, out, fault)
                     : compare_files(command, after, out, fault);
    weights_fini(&weights);
    return err;
}
