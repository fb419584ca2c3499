/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rows/selection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/sums/metric_data.h"
#include "analyze/trees/stack_match.h"
#include "analyze/alerts/suppress.h"
#include "base/human.h"
#include "base/nearest.h"

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

/* The metric of ours that `name` is most like, when it is so like one that it must be meant; else NULL. */
static const char *nearest_metric(const char *name)
{
    const char *nearest = metrics[0].name;
    for (const struct metric *other = metrics; other->name; other++)
        if (nearest_distance(name, other->name) < nearest_distance(name, nearest))
            nearest = other->name;
    return nearest_is_near(name, nearest_distance(name, nearest)) ? nearest : NULL;
}

static int no_such_metric(const char *name, struct fault *fault)
{
    return fault_set(
        fault, -EINVAL,
        "there is no metric \"%s\": heap.peak, heap.leaked, heap.live, heap.allocated, "
        "heap.calls and heap.temporary are the usual ones",
        name);
}

/* A name that every recording knows, or one that may be its own: see selection_find_metrics. */
static int take_one_metric(struct selection *selection, const char *argument, struct fault *fault)
{
    const struct metric *metric = metric_find(argument);
    const char *nearest = !metric && strchr(argument, '.') ? nearest_metric(argument) : NULL;
    if (nearest)
        return fault_set(fault, -EINVAL, "there is no metric \"%s\", did you mean %s?", argument,
                         nearest);
    if (!metric) {
        unsigned const at = selection->unknown_count;
        if (at == SIDE_MAX || strlen(argument) >= sizeof(selection->unknown_names[0]))
            return no_such_metric(argument, fault);
        strcpy(selection->unknown_names[at], argument);
        selection->unknown[at] =
            (struct metric){.name = selection->unknown_names[at], .unit = "", .help = ""};
        selection->unknown_count++;
        metric = &selection->unknown[at];
    }
    selection->metric = metric;
    selection->metric_given = true;
    return 0;
}

int selection_find_metrics(struct selection *selection, const struct recording *recording,
                           struct fault *fault)
{
    for (unsigned i = 0; i < selection->unknown_count; i++) {
        const struct metric *unknown = &selection->unknown[i];
        const struct metric *found = recording_metric(recording, unknown->name);
        if (!found && recording->own_metric_count)
            return fault_set(fault, -EINVAL,
                             "there is no metric \"%s\": of its own the file has %s%s",
                             unknown->name, recording->own_metrics[0].name,
                             recording->own_metric_count > 1 ? " and others, see memoir info" : "");
        if (!found)
            return no_such_metric(unknown->name, fault);
        if (selection->metric == unknown)
            selection->metric = found;
        for (unsigned k = 0; k < selection->several.count; k++)
            if (selection->several.items[k] == unknown)
                selection->several.items[k] = found;
    }
    return 0;
}

static int take_several_metrics(struct selection *selection, const char *argument,
                                struct fault *fault)
{
    struct metric_list *list = &selection->several;
    char words[256];
    if (!selection->takes_several)
        return fault_set(fault, -EINVAL,
                         "--metric is one metric here; memoir report takes several, side by side");
    if (snprintf(words, sizeof(words), "%s", argument) >= (int)sizeof(words))
        return fault_set(fault, -EINVAL, "--metric has too long a list of metrics");
    char *rest = words;
    for (char *word; (word = strsep(&rest, ",")) != NULL;) {
        int err = take_one_metric(selection, word, fault);
        if (err)
            return err;
        if (list->count == SIDE_MAX)
            return fault_set(fault, -EINVAL, "--metric takes at most %d metrics side by side",
                             SIDE_MAX);
        list->items[list->count++] = selection->metric;
    }
    selection->metric = list->items[0];
    return 0;
}

int selection_take_metric(void *into, const char *argument, struct fault *fault)
{
    struct selection *selection = into;
    selection->several.count = selection->unknown_count = 0;
    return strchr(argument, ',') ? take_several_metrics(selection, argument, fault)
                                 : take_one_metric(selection, argument, fault);
}

static const char *const grouping_names[] = {
    [BY_STACK] = "stack",   [BY_FUNCTION] = "function", [BY_MODULE] = "module",
    [BY_THREAD] = "thread", [BY_LINE] = "line",         [BY_PHASE] = "phase",
};

int selection_take_by(void *into, const char *argument, struct fault *fault)
{
    struct selection *selection = into;
    for (size_t i = 0; i < sizeof(grouping_names) / sizeof(grouping_names[0]); i++) {
        if (strcmp(argument, grouping_names[i]) != 0)
            continue;
        selection->by = (enum grouping)i;
        selection->by_given = true;
        return 0;
    }
    return fault_set(fault, -EINVAL,
                     "--by cannot be \"%s\": it is stack, function, module, thread, line or phase",
                     argument);
}

static int bad_time(const char *option, const char *argument, struct fault *fault)
{
    return fault_set(fault, -EINVAL, "%s cannot be \"%s\": %s", option, argument, TIME_POINT_FORMS);
}

static int turned_times(struct fault *fault)
{
    return fault_set(fault, -EINVAL, "--between needs an earlier and a later time, in order");
}

int selection_take_at(void *into, const char *argument, struct fault *fault)
{
    struct selection *selection = into;
    if (time_point_parse(slice_of(argument), &selection->to) < 0)
        return bad_time("--at", argument, fault);
    selection->at_given = true;
    selection->between_given = false;
    return 0;
}

int selection_take_between(void *into, const char *argument, struct fault *fault)
{
    struct selection *selection = into;
    if (time_points_parse(slice_of(argument), &selection->from, &selection->to) < 0)
        return strchr(argument, ',')
                   ? bad_time("--between", argument, fault)
                   : fault_set(fault, -EINVAL,
                               "--between needs two times with a comma, --between 10s,1h30m, or a "
                               "phase: --between phase:NAME");
    if (time_points_turned(&selection->from, &selection->to))
        return turned_times(fault);
    selection->between_given = true;
    selection->at_given = false;
    return 0;
}

int selection_take_top(void *into, const char *argument, struct fault *fault)
{
    struct selection *selection = into;
    uint64_t top;
    if (human_parse_count(argument, &top) < 0)
        return fault_set(fault, -EINVAL, "--top cannot be \"%s\": it is a number of rows",
                         argument);
    selection->top = top;
    return 0;
}

int selection_take_threshold(void *into, const char *argument, struct fault *fault)
{
    struct selection *selection = into;
    selection->threshold_share = 0;
    selection->threshold_value = 0;
    if (human_parse_share(argument, &selection->threshold_share) < 0 &&
        human_parse_bytes(argument, &selection->threshold_value) < 0)
        return fault_set(fault, -EINVAL,
                         "--threshold cannot be \"%s\": it is a share such as 1%% or a value such "
                         "as 64K",
                         argument);
    selection->threshold_given = true;
    return 0;
}

int selection_take_filter(void *into, const char *argument, struct fault *fault)
{
    struct selection *selection = into;
    selection_fini(selection);
    int const err =
        pattern_compile(argument, PATTERN_ANYWHERE, "--filter", &selection->pattern, fault);
    selection->filter = err ? NULL : argument;
    return err;
}

/* Where the first numbers are of the very beginning (snapshots), that is what a time of 0 means: how it was then, what changed since. */
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
    range->to_ns = not_before_first(recording, range->to_ns);
    if (selection->between_given)
        range->from_ns = not_before_first(recording, range->from_ns);
    if (selection->between_given && range->from_ns >= range->to_ns)
        return turned_times(fault);
    if (selection->at_given && range->to_ns > recording->duration_ns)
        return fault_set(fault, -EINVAL, "--at is past the end: the recording is %s long",
                         human_duration(recording->duration_ns, length));
    if (strcmp(selection->metric->name, "heap.leaked") == 0 &&
        (range->from_ns > 0 || range->to_ns < recording->duration_ns))
        return fault_set(fault, -EINVAL,
                         "heap.leaked is what is live at the end: ask for heap.live at other "
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
    /* Pools can be larger than the heap only when they are made of mappings: then they are the heap. */
    if (recording->pools.peak_bytes > recording->heap.peak_bytes) {
        bool const has_peak =
            recording_pin(recording, PIN_POOL_PEAK) && !has_time && selection->by != BY_PHASE;
        selection->metric = metric_find(has_peak ? "pool.peak" : "pool.live");
        return "this program's own allocators hold more than its heap, so this is about them; "
               "--metric heap.peak shows the heap";
    }
    if (has_time || selection->by == BY_PHASE) {
        selection->metric = metric_find("heap.live");
        return NULL;
    }
    if (!recording->heap.peak_bytes && recording->heap.bytes) {
        selection->metric = metric_find("heap.live");
        return "this file does not tell the peak, so this is what is live at its end";
    }
    if (!recording->heap.peak_bytes)
        return NULL;
    if (recording->being_written && (!peak || peak->time_ns < recording->heap.peak_time_ns)) {
        selection->metric = metric_find("heap.live");
        return "the picture of the latest peak is not written yet, so this is what is live now";
    }
    if (peak)
        return NULL;
    selection->metric = metric_find("heap.live");
    return "the picture of the peak is missing from this recording, so this is what was live at "
           "its end";
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
