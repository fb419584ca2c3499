/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_series_notes.c - what a reader of the numbers should know about profiles of pprof. */
#include <inttypes.h>

#include "formats/pprof/pprof_series_parts.h"

static void tell_heap(const struct pprof_series *series)
{
    struct recording *recording = series->recording;
    if (!series->is_cumulative[COL_HEAP_BYTES])
        recording_note(recording, "the file has what is live, and not what was allocated and freed "
                                  "before: heap.allocated is no more than that");
    if (!series->has_live)
        recording_note(recording, "the file has what was allocated, and not what of it is live");
    if (series->is_run && series->has_live)
        recording_note(recording,
                       "the peak is the largest of the profiles: what was between two of them "
                       "is not known");
    if (series->is_run && series->is_cumulative[COL_HEAP_BYTES])
        recording_note(recording, "what was allocated counts from the first profile on; what was "
                                  "live then counts as allocated");
}

static void tell_own(struct recording *recording)
{
    for (unsigned i = 0; i < recording->own_metric_count; i++) {
        const struct metric *metric = &recording->own_metrics[i];
        recording_note(recording, "the file counts %.80s%s%.80s%s: --metric %.80s", metric->name,
                       metric->unit[0] ? " (" : "", metric->unit, metric->unit[0] ? ")" : "",
                       metric->name);
    }
}

static void tell_left_out(const struct pprof_series *series)
{
    struct recording *recording = series->recording;
    if (series->labels_left_out)
        recording_note(recording,
                       "%" PRIu64
                       " samples have labels, such as %s: they are added up without them",
                       series->labels_left_out, series->label_key);
    if (series->columns_left_out)
        recording_note(recording,
                       "%" PRIu64 " columns of the file are left out: there are too many",
                       series->columns_left_out);
    if (series->odd_lines)
        recording_note(recording, "%" PRIu64 " lines of the file make no sense and were left out",
                       series->odd_lines);
    if (series->missing)
        recording_note(recording,
                       "%s cut off, or lines of it are missing: they add up to %.3g %% less than "
                       "the total in its first lines",
                       series->missing == 1 ? "the file is" : "some of the profiles are",
                       100 * series->missing_share);
    else if (series->lacks_break)
        recording_note(recording, "the last line of the file has no line break: it was read, and "
                                  "may be cut off");
    if (series->bad_drops)
        recording_note(recording, "the file says which frames to hide in a way that memoir does "
                                  "not understand: all are shown");
}

void pprof_series_tell(struct pprof_series *series)
{
    struct recording *recording = series->recording;
    uint64_t restarts = 0;
    if (series->has_heap)
        tell_heap(series);
    if (recording->timing.waits)
        recording_note(recording,
                       series->is_run
                           ? "waits are those that the program itself counted, from the first "
                             "profile on; of a mutex they stand where it was given up"
                           : "waits are those that the program itself counted since it began; of a "
                             "mutex they stand where it was given up");
    tell_own(recording);
    vec_each (node, &series->nodes)
        restarts += node->restarts;
    if (restarts)
        recording_note(recording,
                       "processes were started anew %" PRIu64 " times meanwhile: what they had is "
                       "counted as freed then",
                       restarts);
    tell_left_out(series);
}
