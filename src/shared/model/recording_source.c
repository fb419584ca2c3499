/* SPDX-License-Identifier: Apache-2.0 */
#include "model/recording_source.h"

#include <string.h>

#include "model/recording.h"

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool recording_is_of_time(const struct recording *recording)
{
    const char *source = recording_text(recording, recording->source);
    return strcmp(source, SOURCE_CPU) == 0 || strcmp(source, SOURCE_PPROF_TIME) == 0 ||
           (begins(source, SOURCE_PERF) && !begins(source, SOURCE_PERF_COUNTS));
}

bool recording_is_of_profiles(const struct recording *recording)
{
    return begins(recording_text(recording, recording->source), SOURCE_PPROF);
}

bool recording_is_of_counts(const struct recording *recording)
{
    const char *source = recording_text(recording, recording->source);
    return strcmp(source, SOURCE_PPROF_COUNTS) == 0 || begins(source, SOURCE_PERF_COUNTS);
}

bool recording_traces_heap(const struct recording *recording)
{
    const char *source = recording_text(recording, recording->source);
    return strcmp(source, SOURCE_PAGES) != 0 && strcmp(source, SOURCE_COSTS) != 0 &&
           !recording_is_of_time(recording) && !recording_is_of_counts(recording);
}

bool recording_knows_live(const struct recording *recording)
{
    return strcmp(recording_text(recording, recording->source), SOURCE_PPROF_ALLOCATED) != 0;
}

bool recording_knows_allocated(const struct recording *recording)
{
    return strcmp(recording_text(recording, recording->source), SOURCE_PPROF_LIVE) != 0;
}

bool recording_ran_on(const struct recording *recording)
{
    bool const is_ours =
        strncmp(recording_text(recording, recording->source), "memoir ", strlen("memoir ")) == 0;
    if (recording->being_written || recording->exit_status >= 0 || recording->end == END_OVER ||
        recording->end == END_REPLACED)
        return false;
    return recording->end == END_RUNS_ON || recording->before.attached ||
           (is_ours && !recording->quality.complete) || recording_is_of_profiles(recording);
}

bool recording_is_of_costs(const struct recording *recording)
{
    return strncmp(recording_text(recording, recording->source), SOURCE_COSTS,
                   strlen(SOURCE_COSTS)) == 0;
}

bool recording_ends_at_snapshot(const struct recording *recording)
{
    return strcmp(recording_text(recording, recording->source), SOURCE_MASSIF) == 0;
}

enum live_when recording_live_when(const struct recording *recording)
{
    return recording->quality.unwritten_from_ns    ? LIVE_UNWRITTEN
           : recording->being_written              ? LIVE_NOW
           : recording->end == END_REPLACED        ? LIVE_REPLACED
           : recording_ran_on(recording)           ? LIVE_STOPPED
           : recording_ends_at_snapshot(recording) ? LIVE_AT_SNAPSHOT
                                                   : LIVE_AT_END;
}

const char *live_when_key(enum live_when when)
{
    static const char *const keys[] = {
        [LIVE_UNWRITTEN] = "last_written",    [LIVE_NOW] = "now",
        [LIVE_REPLACED] = "became_another",   [LIVE_STOPPED] = "stopped",
        [LIVE_AT_SNAPSHOT] = "last_snapshot", [LIVE_AT_END] = "end"};
    return keys[when];
}

bool recording_knows_peak_time(const struct recording *recording)
{
    return !recording_is_of_costs(recording) &&
           !(recording_is_of_profiles(recording) && recording->buckets.count <= 1);
}

bool recording_was_cut(const struct recording *recording)
{
    bool const is_ours =
        strncmp(recording_text(recording, recording->source), "memoir ", strlen("memoir ")) == 0;
    return is_ours && !recording->being_written && !recording->quality.complete &&
           !recording->quality.unwritten_from_ns;
}

bool recording_is_of_several(const struct recording *recording)
{
    bool const is_ours =
        strcmp(recording_text(recording, recording->source), SOURCE_PPROF_TIME) != 0;
    return recording->is_of_several ||
           (recording->pid == 0 && is_ours && recording_is_of_time(recording));
}

bool recording_counts_blocks(const struct recording *recording)
{
    return recording->heap.calls > 0 || recording->heap.peak_bytes == 0;
}
