/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/registry.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyze/trees/stack_match.h"
#include "analyze/alerts/suppress.h"
#include "base/human.h"
#include "formats/shared/writers.h"

const struct export_format export_formats[] = {
    {"folded", ".folded", "one line per stack and a number, for flame graph programs", true, true,
     true, false, folded_write},
    {"pprof", ".pb.gz", "profile.proto, for go tool pprof, Parca, Pyroscope, speedscope, Perfetto",
     true, true, true, true, pprof_write},
    {"heaptrack", ".heaptrack.zst", "heaptrack format 3, for heaptrack_gui and heaptrack_print",
     false, false, false, false, heaptrack_write},
    {"massif", ".massif.out", "snapshots with trees, for ms_print and massif-visualizer", true,
     true, true, false, massif_write},
    {"callgrind", ".callgrind.out", "functions, calls and several costs, for KCachegrind", true,
     true, true, false, callgrind_write},
    {"perf", ".perf.data", "samples, for perf report, perf script and Hotspot", true, true, true,
     false, perf_write},
    {NULL, NULL, NULL, false, false, false, false, NULL},
};

const struct export_format *export_format_find(const char *name)
{
    for (const struct export_format *format = export_formats; format->name; format++)
        if (strcmp(format->name, name) == 0)
            return format;
    return NULL;
}

const char *export_refusal(const struct export_format *format, bool has_metric, bool has_range,
                           bool has_filter)
{
    if (has_range && !format->takes_range)
        return "a heaptrack file always contains the whole run: leave out the time, heaptrack_gui "
               "can filter by time";
    if (has_metric && !format->takes_metric)
        return "a heaptrack file contains calls, peak, leaks and temporary counts together: leave "
               "out --metric";
    if (has_filter && !format->takes_filter)
        return "a heaptrack file always contains all stacks, or its peak would be wrong: leave out "
               "--filter, and use heaptrack_print --filter-bt-function";
    return NULL;
}

bool export_needs_metric(const struct export_format *format, const struct recording *recording)
{
    if (strcmp(format->name, "folded") == 0)
        return true;
    bool const has_all = strcmp(format->name, "callgrind") == 0 || /* all side by side */
                         (strcmp(format->name, "pprof") == 0 &&
                          (recording_is_of_profiles(recording) || recording->own_metric_count));
    return format->takes_metric && !recording_traces_heap(recording) && !has_all;
}

static int tell_empty(const struct export_job *job, struct fault *fault)
{
    bool const is_part =
        job->filter || job->range.from_ns > 0 || job->range.to_ns < job->recording->duration_ns;
    return fault_set(fault, -ENODATA, "there is nothing to write: no stack has any %s%s",
                     job->metric ? job->metric->name : "number",
                     is_part ? " in the chosen time and filter"
                             : "; memoir info lists the contents, --metric chooses");
}

static void note_losses(struct export_job *job)
{
    char text[LOSSES_TEXT_MAX];
    job->has_losses = job->notes.count == 0 && losses_render(job->recording, text);
    if (job->has_losses)
        export_note(job, "%s", text);
}

const char *export_losses(const struct export_job *job)
{
    return job->has_losses ? job->notes.text[0] : "";
}

int export_write(const struct export_format *format, struct export_job *job, struct output *out,
                 struct fault *fault)
{
    if (strcmp(format->name, "heaptrack") == 0 && !recording_traces_heap(job->recording))
        return fault_set(fault, -ENODATA,
                         "a heaptrack file contains allocations, and this recording has none: use "
                         "--to folded, pprof, callgrind or perf");
    bool const is_of_live =
        strcmp(format->name, "heaptrack") == 0 || strcmp(format->name, "massif") == 0;
    if (is_of_live && !recording_knows_live(job->recording))
        return fault_set(fault, -ENODATA,
                         "a %s file contains live memory, which this file does not have: use --to "
                         "folded, pprof, callgrind or perf",
                         format->name);
    note_losses(job);
    int const err = format->write(job, out, fault);
    return err == 0 && job->has_weighed && !job->has_rows ? tell_empty(job, fault) : err;
}

/* Times snap outward to the boundaries that were recorded: say so, once. */
static void note_time_used(struct export_job *job, const struct weights *weights)
{
    struct time_range asked = job->range, used = weights->used;
    char from[HUMAN_MAX], to[HUMAN_MAX];
    bool same = asked.from_ns == used.from_ns &&
                (asked.to_ns == used.to_ns || asked.to_ns >= job->recording->duration_ns);
    if (same || job->time_noted || weights->metric->kind == METRIC_PINNED)
        return;
    export_note(job, "the time used is %s to %s", human_duration(used.from_ns, from),
                human_duration(used.to_ns, to));
    job->time_noted = true;
}

static void note_suppressed(struct export_job *job, const struct weights *weights)
{
    char bytes[HUMAN_MAX], blocks[HUMAN_MAX];
    if (weights->suppressed_count)
        export_note(
            job,
            "%s in %s blocks are left out, because the rules of memoir report suppress them as "
            "leaks; heap.live has them",
            human_bytes(weights->suppressed_value, bytes),
            human_count(weights->suppressed_count, blocks));
}

int export_weigh(struct export_job *job, const struct metric *metric, struct weights *weights,
                 struct fault *fault)
{
    int err = weigh_stacks(job->recording, metric, job->range, weights, fault);
    if (err)
        return err;
    note_time_used(job, weights);
    if (suppressions_leave_out(job->recording, weights) < 0) {
        weights_fini(weights);
        return fault_set(fault, -ENOMEM, "Not enough memory to leave out what is no leak.");
    }
    note_suppressed(job, weights);
    if (job->filter)
        err = weights_keep_pattern(job->recording, job->filter, weights, fault);
    job->has_weighed = true;
    job->has_rows |= !err && weights->rows.count > 0;
    if (err)
        weights_fini(weights);
    return err;
}

void export_note(struct export_job *job, const char *format, ...)
{
    if (job->notes.count == EXPORT_NOTES_MAX)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(job->notes.text[job->notes.count++], sizeof(job->notes.text[0]), format, args);
    va_end(args);
}
