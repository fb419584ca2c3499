/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rows/selection.h"
#include "report/rows/selection_parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/sums/metric_data.h"
#include "analyze/trees/stack_match.h"
#include "analyze/alerts/suppress.h"
#include "base/human.h"

void selection_init(struct selection *selection)
{
    memset(selection, 0, sizeof(*selection));
    selection->metric = metric_find("heap.peak");
    selection->top = SELECTION_NO_TOP;
}

void selection_fini(struct selection *selection)
{
    pattern_destroy(selection->pattern);
    selection->pattern = NULL;
    selection->filter = NULL;
}

int selection_no_metric(const char *name, struct fault *fault)
{
    return fault_set(
        fault, -EINVAL,
        "there is no metric \"%s\": heap.peak, heap.leaked, heap.live, heap.allocated, "
        "heap.calls and heap.temporary are the usual ones",
        name);
}

int selection_find_metrics(struct selection *selection, const struct recording *recording,
                           struct fault *fault)
{
    for (unsigned i = 0; i < selection->unknown_count; i++) {
        const struct metric *unknown = &selection->unknown[i];
        const struct metric *found = recording_metric(recording, unknown->name);
        if (!found && recording->own_metric_count)
            return fault_set(fault, -EINVAL,
                             "there is no metric \"%s\": the metrics of this file are %s%s",
                             unknown->name, recording->own_metrics[0].name,
                             recording->own_metric_count > 1 ? " and others, see memoir info" : "");
        if (!found)
            return selection_no_metric(unknown->name, fault);
        if (selection->metric == unknown)
            selection->metric = found;
        for (unsigned k = 0; k < selection->several.count; k++)
            if (selection->several.items[k] == unknown)
                selection->several.items[k] = found;
    }
    return 0;
}

static int turned_times(const struct selection *selection, struct fault *fault)
{
    return fault_set(fault, -EINVAL, "%s needs an earlier and a later time, in order",
                     selection->time_name);
}

/* Where the first numbers are of the very beginning (snapshots), that is what a time of 0 means:
 * how it was then, what changed since. */
static uint64_t not_before_first(const struct recording *recording, uint64_t time_ns)
{
    bool const has_first = recording->buckets.count && recording->buckets.items[0].end_ns == 1;
    return time_ns == 0 && has_first ? 1 : time_ns;
}

int selection_range(const struct selection *selection, const struct recording *recording,
                    struct time_range *range, struct fault *fault)
{
    char length[HUMAN_MAX];
    *range = TIME_ALL;
    if (!selection->at_given && !selection->between_given)
        return 0;
    int err = time_point_resolve(&selection->to, recording, &range->to_ns, fault);
    if (!err && selection->between_given)
        err = time_point_resolve(&selection->from, recording, &range->from_ns, fault);
    if (err)
        return err;
    if (selection->at_given && selection->to.anchor == TIME_BEFORE_END &&
        selection->to.ns > recording->duration_ns)
        return fault_set(fault, -EINVAL, "%s is before the beginning: the recording is %s long",
                         selection->time_name, human_duration(recording->duration_ns, length));
    range->to_ns = not_before_first(recording, range->to_ns);
    if (selection->between_given)
        range->from_ns = not_before_first(recording, range->from_ns);
    if (selection->between_given && range->from_ns >= range->to_ns)
        return turned_times(selection, fault);
    if (selection->at_given && range->to_ns > recording->duration_ns)
        return fault_set(fault, -EINVAL, "%s is past the end: the recording is %s long",
                         selection->time_name, human_duration(recording->duration_ns, length));
    if (strcmp(selection->metric->name, "heap.leaked") == 0 &&
        (range->from_ns > 0 || range->to_ns < recording->duration_ns))
        return fault_set(fault, -EINVAL,
                         "heap.leaked is the memory live at the end: choose heap.live for other "
                         "times");
    return 0;
}

/* Files that count what they like: the first metric that anything is in. */
static const struct metric *metric_of_costs(const struct recording *recording)
{
    static const char *const names[] = {"cpu.instructions", "cpu.on", "cpu.off", "pages.resident"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && recording->buckets.count; i++) {
        const struct bucket *bucket = &recording->buckets.items[0];
        const struct metric *metric = metric_find(names[i]);
        for (size_t k = 0; k < bucket->cell_count; k++)
            if (metric_sign(metric, bucket->cells[k].column) > 0)
                return metric;
    }
    return metric_find("cost");
}

const char *selection_choose_metric(struct selection *selection, const struct recording *recording)
{
    const struct pin *peak = recording_pin(recording, PIN_PEAK);
    if (selection->metric_given)
        return NULL;
    if (recording->shown_metric) {
        selection->metric =
            recording_metric(recording, recording_text(recording, recording->shown_metric));
        return NULL;
    }
    bool const has_time = selection->at_given || selection->between_given;
    if (recording_is_of_time(recording)) {
        bool const only_waits = recording->timing.samples == 0 && recording->timing.waits > 0;
        selection->metric = metric_find(only_waits ? "cpu.off" : "cpu.on");
        return NULL;
    }
    if (strcmp(recording_text(recording, recording->source), SOURCE_COSTS) == 0) {
        selection->metric = metric_of_costs(recording);
        return NULL;
    }
    if (!recording_traces_heap(recording) || metric_data_heap_is_off(recording)) {
        const struct timing *timing = &recording->timing;
        selection->metric = metric_find(timing->hz > 0      ? "cpu.on"
                                        : timing->waits > 0 ? "cpu.off"
                                                            : "pages.resident");
        return NULL;
    }
    /* Pools can be larger than the heap only when they are made of mappings: then they are the
     * heap. */
    if (recording->pools.peak_bytes > recording->heap.peak_bytes) {
        bool const has_peak =
            recording_pin(recording, PIN_POOL_PEAK) && !has_time && selection->by != BY_PHASE;
        selection->metric = metric_find(has_peak ? "pool.peak" : "pool.live");
        return "the program's own allocators hold more than its heap, so this report shows their "
               "peak; --metric heap.peak shows the heap";
    }
    if (has_time || selection->by == BY_PHASE) {
        selection->metric = metric_find("heap.live");
        return NULL;
    }
    if (!recording->heap.peak_bytes && recording->heap.bytes) {
        selection->metric = metric_find("heap.live");
        return "this file does not contain the peak, so this report shows the memory live at its "
               "end";
    }
    if (!recording->heap.peak_bytes)
        return NULL;
    if (recording->being_written && (!peak || peak->time_ns < recording->heap.peak_time_ns)) {
        selection->metric = metric_find("heap.live");
        return "the call stacks of the latest peak are not written yet, so this report shows the "
               "memory live now";
    }
    if (peak)
        return NULL;
    selection->metric = metric_find("heap.live");
    return "the call stacks of the peak are missing in this recording, so this report shows the "
           "memory live at its end";
}

enum compared_times selection_compared_times(const struct selection *selection)
{
    if (selection->between_given)
        return COMPARED_STRETCHES;
    return selection->at_given ? COMPARED_INSTANTS : COMPARED_WHOLE;
}

const char *selection_choose_compared(struct selection *selection,
                                      const struct recording *recording, enum compared_times times)
{
    static const char *const names[] = {[COMPARED_WHOLE] = "heap.peak",
                                        [COMPARED_INSTANTS] = "heap.live",
                                        [COMPARED_STRETCHES] = "heap.allocated"};
    bool const has_heap = !recording->shown_metric && recording_traces_heap(recording) &&
                          !metric_data_heap_is_off(recording);
    bool const lacks_peak =
        times == COMPARED_WHOLE && recording->heap.bytes > 0 && !recording_pin(recording, PIN_PEAK);
    if (!has_heap || lacks_peak)
        return selection_choose_metric(selection, recording);
    if (!selection->metric_given)
        selection->metric = metric_find(names[times]);
    return NULL;
}

int selection_check_metric(const struct selection *selection, struct recording *recording,
                           struct fault *fault)
{
    int err = 0;
    if (selection->several.count < 2)
        return metric_data_check(recording, selection->metric, fault);
    for (unsigned i = 0; i < selection->several.count && !err; i++)
        err = metric_data_check(recording, selection->several.items[i], fault);
    return err;
}

int selection_check_named(const struct selection *selection, struct recording *recording,
                          const char *name, struct fault *fault)
{
    struct fault inner = {.text = ""};
    int const err = selection_check_metric(selection, recording, &inner);
    return err ? fault_set(fault, err, "%s: %s", name, inner.text) : 0;
}

/* Without what is known to be no leak, as in every report. */
static int weigh_unsuppressed(struct recording *recording, const struct metric *metric,
                              struct time_range range, struct weights *weights, struct fault *fault)
{
    int err = weigh_stacks(recording, metric, range, weights, fault);
    if (err || suppressions_leave_out(recording, weights) == 0)
        return err;
    weights_fini(weights);
    return fault_set(fault, -ENOMEM, "out of memory while adding up %s", metric->name);
}

int selection_weigh(const struct selection *selection, struct recording *recording,
                    struct weights *weights, struct fault *fault)
{
    struct time_range range;
    int err = selection_range(selection, recording, &range, fault);
    if (!err)
        err = weigh_unsuppressed(recording, selection->metric, range, weights, fault);
    if (err || !selection->filter)
        return err;
    err = weights_keep_pattern(recording, selection->pattern, weights, fault);
    if (err)
        weights_fini(weights);
    return err;
}

int selection_describe_filter(const struct selection *selection, struct recording *recording,
                              const struct weights *kept, char *text, size_t size,
                              struct fault *fault)
{
    struct weights all;
    struct time_range range;
    char share[HUMAN_MAX], total[HUMAN_MAX];
    int err = selection_range(selection, recording, &range, fault);
    if (!err)
        err = weigh_unsuppressed(recording, kept->metric, range, &all, fault);
    if (err)
        return err;
    snprintf(text, size, "only stacks with \"%.80s\": %s of %s", selection->filter,
             human_share(kept->total_value, all.total_value, share),
             human_value(all.total_value, kept->metric->unit, total));
    weights_fini(&all);
    return 0;
}

bool selection_is_small(const struct selection *selection, int64_t value, int64_t total)
{
    double const size = value < 0 ? -(double)value : (double)value;
    double const whole = total < 0 ? -(double)total : (double)total;
    if (!selection->threshold_given)
        return false;
    return size < selection->threshold_share * whole || size < (double)selection->threshold_value;
}
