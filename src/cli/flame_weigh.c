/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "analyze/stack_match.h"
#include "base/human.h"
#include "cli/flame_command.h"

void flame_choose_metric(struct flame_command *command, const struct recording *recording)
{
    struct selection *selection = &command->selection;
    if (command->by_thread && !selection->metric_given) {
        bool const only_waits = recording->timing.samples == 0 && recording->timing.waits > 0;
        selection->metric = metric_find(only_waits ? "cpu.off" : "cpu.on");
        selection->metric_given = true;
    }
    const char *note = selection_choose_metric(selection, recording);
    if (note)
        fprintf(stderr, "memoir flame: note: %s\n", note);
}

static int weigh_by_thread(const struct flame_command *command, struct recording *recording,
                           struct weights *weights, struct fault *fault)
{
    const struct selection *selection = &command->selection;
    struct time_range range;
    struct moment_sums sums;
    int err = selection_range(selection, recording, &range, fault);
    if (!err)
        err = moment_sums_build(recording, selection->metric, range, &sums, fault);
    if (err)
        return err;
    err = moment_sums_root(recording, &sums, command->thread_names, weights);
    moment_sums_fini(&sums);
    if (!err && selection->filter) {
        err = weights_keep_regex(recording, &selection->filter_regex, weights);
        if (err)
            weights_fini(weights);
    }
    return err ? fault_set(fault, err, "out of memory while adding up %s by thread",
                           selection->metric->name)
               : 0;
}

int flame_weigh(const struct flame_command *command, struct recording *recording,
                struct weights *weights, struct fault *fault)
{
    return command->by_thread ? weigh_by_thread(command, recording, weights, fault)
                              : selection_weigh(&command->selection, recording, weights, fault);
}

int flame_describe_filter(struct flame_command *command, struct recording *recording,
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

void flame_apply_threshold(struct flame_command *command, const struct weights *weights)
{
    const struct selection *selection = &command->selection;
    command->options.threshold = selection->threshold_share;
    if (selection->threshold_given && selection->threshold_value && weights->total_value > 0)
        command->options.threshold =
            (double)selection->threshold_value / (double)weights->total_value;
}
