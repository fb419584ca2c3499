/* SPDX-License-Identifier: Apache-2.0 */
/* row_error.c - how large the error of a row's numbers may be, because blocks were sampled or
 * events were lost. */
#include <string.h>

#include "model/losses.h"
#include "model/sampling.h"
#include "report/rows/report.h"

static bool is_of_heap(const struct metric *metric)
{
    return strncmp(metric->name, "heap.", 5) == 0;
}

static bool is_allocated(const struct metric *metric)
{
    return metric->kind == METRIC_COUNTER && metric->plus != COL_HEAP_FREED;
}

bool report_has_errors(const struct report *report)
{
    const struct metric *metric = report->question.metric;
    return report->recording->quality.sample_rate && strcmp(metric->unit, "bytes") == 0 &&
           is_of_heap(metric);
}

/* What was live is as doubtful as all that came before; only what was allocated is of its own
 * time.  A thread tells what it lost at the end of a gap. */
bool report_has_losses(const struct report *report)
{
    const struct quality *quality = &report->recording->quality;
    struct time_range const used = report->weights.used;
    uint64_t const from = is_allocated(report->question.metric) ? used.from_ns : 0;
    uint64_t told = 0;
    bool is_touched = false;
    if (!losses_matter(report->recording) || !is_of_heap(report->question.metric))
        return false;
    vec_each (bucket, &report->recording->buckets) {
        told += bucket->lost_events;
        is_touched |= bucket->lost_events > 0 && bucket->end_ns > from &&
                      (bucket->begin_ns <= used.to_ns ||
                       bucket->begin_ns - used.to_ns <= quality->longest_gap_ns);
    }
    /* of some, or of what is missing in a damaged file, nobody tells when */
    return is_touched || told < quality->lost_events || quality->lost_events == 0;
}

static int64_t larger(uint64_t one, uint64_t other)
{
    return (int64_t)(one > other ? one : other);
}

/* Each row may have all that was lost, and nothing of what is in doubt. */
static int64_t lost_error(const struct report *report, int64_t value)
{
    const struct quality *quality = &report->recording->quality;
    const struct metric *metric = report->question.metric;
    struct time_range const used = report->weights.used;
    uint64_t const all = value > 0 ? (uint64_t)value : 0;
    uint64_t const doubt = used.to_ns < report->recording->duration_ns ? all
                           : quality->live_doubt_bytes < all           ? quality->live_doubt_bytes
                                                                       : all;
    if (metric->plus == COL_HEAP_CALLS && !quality->sample_rate)
        return (int64_t)quality->lost_calls;
    if (metric->plus != COL_HEAP_BYTES || value < 0)
        return REPORT_ERROR_UNKNOWN;
    switch (metric->kind) {
    case METRIC_COUNTER:
        return (int64_t)quality->lost_bytes;
    case METRIC_PINNED:
        return larger(quality->peak_doubt_bytes || quality->peak_doubt_calls ? all : 0,
                      quality->lost_bytes);
    default: /* how much of a change is in doubt is not known */
        return used.from_ns > 0 ? REPORT_ERROR_UNKNOWN : larger(doubt, quality->lost_bytes);
    }
}

int64_t report_error(const struct report *report, struct report_value value)
{
    const struct quality *quality = &report->recording->quality;
    int64_t const lost = report_has_losses(report) ? lost_error(report, value.value) : 0;
    bool const has_any = value.value || value.count || value.spread;
    if (!report_has_errors(report) || !has_any || lost == REPORT_ERROR_UNKNOWN)
        return lost;
    uint64_t const error = sample_error(&(struct sample_estimate){
        value.value, value.count, quality->has_spread ? value.spread : SAMPLE_SPREAD_UNKNOWN,
        quality->sample_rate});
    bool const is_of_peak = report->question.metric->kind == METRIC_PINNED;
    return lost + (int64_t)(is_of_peak ? sampled_error_at_peak(report->recording, error) : error);
}
