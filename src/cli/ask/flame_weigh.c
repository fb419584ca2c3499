/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/trees/stack_match.h"
#include "cli/ask/flame_command.h"
#include "cli/shared/other_metrics.h"

void flame_choose_metric(struct flame_command *command, const struct recording *recording)
{
    struct selection *selection = &command->selection;
    bool const was_asked = selection->metric_given;
    if ((command->by_thread || command->heat) && !selection->metric_given &&
        !recording->shown_metric) {
        bool const only_waits = recording->timing.samples == 0 && recording->timing.waits > 0;
        selection->metric = metric_find(only_waits ? "cpu.off" : "cpu.on");
        selection->metric_given = true;
    }
    const char *note =
        command->with.between_given || command->diff
            ? selection_choose_compared(selection, recording, selection_compared_times(selection))
            : selection_choose_metric(selection, recording);
    if (note)
        fprintf(stderr, "memoir flame: note: %s\n", note);
    if (!was_asked)
        tell_other_metrics("flame", recording, selection->metric);
}

/* The same stacks whichever thread was in them. */
static int list_stacks(const struct moment_sums *sums, struct weights *weights)
{
    *weights = (struct weights){.metric = sums->metric, .used = sums->used};
    if (!vec_reserve(&weights->rows, sums->rows.count))
        return -ENOMEM;
    vec_each (row, &sums->rows)
        vec_push(&weights->rows,
                 (struct weight){.key = row->stack, .value = row->value, .count = row->count});
    weights->total_value = sums->total_value;
    weights->total_count = sums->total_count;
    return 0;
}

/* Leaves the rows of both whose stack --filter matches. */
static int keep_matched(const struct selection *selection, struct recording *recording,
                        struct moment_sums *sums, struct weights *weights, struct fault *fault)
{
    uint32_t *codes;
    size_t kept = 0;
    int const err = stack_match_pattern(recording, selection->pattern, &codes, fault);
    if (err)
        return err;
    for (size_t i = 0; i < weights->rows.count; i++) {
        if (!codes[weights->rows.items[i].key])
            continue;
        weights->rows.items[kept] = weights->rows.items[i];
        sums->rows.items[kept++] = sums->rows.items[i];
    }
    weights->rows.count = sums->rows.count = kept;
    weights->total_value = weights->total_count = 0;
    vec_each (row, &weights->rows) {
        weights->total_value += row->value;
        weights->total_count += row->count;
    }
    free(codes);
    return 0;
}

int flame_weigh_moments(const struct flame_command *command, struct recording *recording,
                        struct moment_sums *sums, struct weights *weights, struct fault *fault)
{
    const struct selection *selection = &command->selection;
    struct time_range range;
    int err = selection_range(selection, recording, &range, fault);
    if (!err)
        err = moment_sums_build(recording, selection->metric, range, sums, fault);
    if (err)
        return err;
    err = command->by_thread ? moment_sums_root(recording, sums, command->thread_names, weights)
                             : list_stacks(sums, weights);
    if (!err && selection->filter) {
        err = keep_matched(selection, recording, sums, weights, fault);
        if (err)
            weights_fini(weights);
    }
    if (!err)
        return 0;
    moment_sums_fini(sums);
    return err == -EINVAL ? err
                          : fault_set(fault, err, "out of memory while adding up %s by thread",
                                      selection->metric->name);
}

int flame_weigh(const struct flame_command *command, struct recording *recording,
                struct weights *weights, struct fault *fault)
{
    struct moment_sums sums;
    if (!command->by_thread)
        return selection_weigh(&command->selection, recording, weights, fault);
    int err = flame_weigh_moments(command, recording, &sums, weights, fault);
    if (!err)
        moment_sums_fini(&sums);
    return err;
}

int flame_describe_filter(struct flame_command *command, struct recording *recording,
                          const struct weights *kept, struct fault *fault)
{
    int err = selection_describe_filter(&command->selection, recording, kept, command->choice,
                                        sizeof(command->choice), fault);
    if (err)
        return err;
    command->options.choice = command->choice;
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
