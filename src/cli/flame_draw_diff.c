/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/human.h"
#include "cli/flame_command.h"
#include "cli/open_input.h"

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

static int compare(struct flame_command *command, struct diff_side after, struct svg_out *out,
                   struct fault *fault)
{
    struct weights weights;
    struct recording *older = open_input(command->diff, fault);
    if (!older)
        return -EIO;
    int err = flame_weigh(command, older, &weights, fault);
    if (!err) {
        struct flame_diff const diff = {{older, &weights}, after, command->diff, command->scale};
        note_times(&diff);
        err = flame_diff_render(&diff, &command->options, out, fault);
        weights_fini(&weights);
    }
    recording_destroy(older);
    return err;
}

int flame_draw_diff(struct flame_command *command, struct recording *recording, struct svg_out *out,
                    struct fault *fault)
{
    struct weights weights;
    if (command->by_thread)
        command->thread_names = THREADS_FOLDED; /* numbers of threads are of one run only */
    int err = flame_weigh(command, recording, &weights, fault);
    if (err)
        return err;
    if (command->selection.filter)
        err = flame_describe_filter(command, recording, &weights, fault);
    flame_apply_threshold(command, &weights);
    if (!err)
        err = compare(command, (struct diff_side){recording, &weights}, out, fault);
    weights_fini(&weights);
    return err;
}
