/* SPDX-License-Identifier: Apache-2.0 */
/* heaptrack_writer.c - writes heaptrack's format 3, interpreted.  docs/formats.md explains how sums
 * become events. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "formats/heaptrack/heap_sums.h"
#include "formats/heaptrack/heaptrack_events.h"
#include "formats/heaptrack/heaptrack_facts.h"
#include "formats/heaptrack/heaptrack_format.h"
#include "formats/heaptrack/heaptrack_names.h"
#include "formats/shared/writers.h"

struct heaptrack_file {
    struct export_job *job;
    struct output *out;
    struct heap_sums sums;
    struct block_runs runs;
    struct heaptrack_events events;
    uint32_t *traces;              /* by stack_id */
    uint32_t *by_birth, *by_death; /* run indices, by slot */
    size_t next_birth, next_death;
    uint64_t time_ms;
};

static void write_line(struct heaptrack_file *file, char letter, uint64_t value)
{
    const char head[2] = {letter, ' '};
    if (!file->events.out) /* only the infos are being numbered */
        return;
    output_bytes(file->out, head, sizeof(head));
    output_hex(file->out, value);
    output_char(file->out, '\n');
}

static uint64_t page_bytes(const struct heaptrack_file *file)
{
    uint64_t page = file->job->recording->page_bytes;
    return page ? page : HEAPTRACK_PAGE_BYTES;
}

static void write_header(struct heaptrack_file *file)
{
    const struct recording *recording = file->job->recording;
    const char *command = recording_text(recording, recording->command_line);
    output_format(file->out, "%c %x %x\n", HEAPTRACK_VERSION, HEAPTRACK_WRITTEN_BY,
                  HEAPTRACK_FORMAT);
    output_format(file->out, "%c ", HEAPTRACK_COMMAND);
    output_line(file->out, *command ? command : recording_text(recording, recording->program));
    output_format(file->out, "%c %" PRIx64 " %" PRIx64 "\n", HEAPTRACK_SYSTEM, page_bytes(file),
                  recording->machine_bytes / page_bytes(file));
    for (size_t i = 0; i < recording->leak_rules.count; i++) {
        output_format(file->out, "%c ", HEAPTRACK_RULE);
        output_line(file->out, recording_text(recording, recording->leak_rules.items[i]));
    }
    output_line(file->out, HEAPTRACK_MADE_UP);
    heaptrack_facts_write(recording, file->out);
}

/* Every stack that has a run gets its trace. */
static int write_traces(struct heaptrack_file *file)
{
    struct heaptrack_names names;
    file->traces = calloc(file->sums.stack_limit, sizeof(*file->traces));
    int err = heaptrack_names_init(&names, file->job->recording, file->out);
    if (!file->traces)
        err = -ENOMEM;
    uint32_t previous = UINT32_MAX;
    for (size_t i = 0; i < file->sums.sums.count && err == 0; i++) {
        uint32_t stack = file->sums.sums.items[i].stack;
        if (stack != previous)
            err = heaptrack_trace(&names, stack, &file->traces[stack]);
        previous = stack;
    }
    heaptrack_names_fini(&names);
    return err;
}

static int compare_births(const void *left, const void *right, void *context)
{
    const struct block_run *runs = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (runs[a].born != runs[b].born)
        return runs[a].born < runs[b].born ? -1 : 1;
    return a < b ? -1 : a > b;
}

static int compare_deaths(const void *left, const void *right, void *context)
{
    const struct block_run *runs = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (runs[a].died != runs[b].died)
        return runs[a].died < runs[b].died ? -1 : 1;
    return a < b ? -1 : a > b;
}

static int order_runs(struct heaptrack_file *file)
{
    size_t count = file->runs.runs.count;
    if (count >= UINT32_MAX)
        return -EOVERFLOW;
    file->by_birth = malloc((count + 1) * sizeof(*file->by_birth));
    file->by_death = malloc((count + 1) * sizeof(*file->by_death));
    if (!file->by_birth || !file->by_death)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        file->by_birth[i] = file->by_death[i] = (uint32_t)i;
    qsort_r(file->by_birth, count, sizeof(uint32_t), compare_births, file->runs.runs.items);
    qsort_r(file->by_death, count, sizeof(uint32_t), compare_deaths, file->runs.runs.items);
    return 0;
}

/* Blocks of one slot alone are written in pairs, unless their sizes at birth and death differ. */
static bool is_pair(const struct block_run *run)
{
    return run->born == run->died && !run->resized;
}

static const struct block_run *peak_block(const struct heaptrack_file *file)
{
    uint64_t at = file->runs.peak_temporary_run;
    return at ? &file->runs.runs.items[at - 1] : NULL;
}

static void write_time(struct heaptrack_file *file, uint64_t ns)
{
    if (ns / HEAPTRACK_STAMP_NS > file->time_ms)
        file->time_ms = ns / HEAPTRACK_STAMP_NS;
    write_line(file, HEAPTRACK_TIME, file->time_ms);
}

static void write_rss(struct heaptrack_file *file, const struct bucket *bucket)
{
    int64_t const most =
        bucket->rss_max > bucket->gauges.rss_bytes ? bucket->rss_max : bucket->gauges.rss_bytes;
    if (most > 0 && most > bucket->gauges.rss_bytes) /* 0: it was never measured */
        write_line(file, HEAPTRACK_RSS, (uint64_t)most / page_bytes(file));
    if (bucket->gauges.rss_bytes > 0)
        write_line(file, HEAPTRACK_RSS, (uint64_t)bucket->gauges.rss_bytes / page_bytes(file));
}

static void write_deaths(struct heaptrack_file *file, uint32_t slot)
{
    const struct block_run *special = peak_block(file);
    for (; file->next_death < file->runs.runs.count; file->next_death++) {
        const struct block_run *run = &file->runs.runs.items[file->by_death[file->next_death]];
        if (run->died != slot)
            return;
        if (!is_pair(run) && run != special)
            heaptrack_deaths(&file->events, run);
    }
}

static void write_births(struct heaptrack_file *file, uint32_t slot)
{
    const struct block_run *special = peak_block(file);
    for (; file->next_birth < file->runs.runs.count; file->next_birth++) {
        const struct block_run *run = &file->runs.runs.items[file->by_birth[file->next_birth]];
        if (run->born != slot)
            break;
        if (!is_pair(run) && run != special)
            heaptrack_births(&file->events, run);
    }
    heaptrack_slot_end(&file->events);
}

/* `from` is where the births of `first_slot` begin. */
static void write_pairs(struct heaptrack_file *file, size_t from, uint32_t first_slot,
                        uint32_t last_slot)
{
    for (size_t i = from; i < file->runs.runs.count; i++) {
        const struct block_run *run = &file->runs.runs.items[file->by_birth[i]];
        if (run->born > last_slot)
            return;
        if (run->born >= first_slot && is_pair(run))
            heaptrack_pairs(&file->events, run);
    }
}

static int64_t bytes_dying_in(const struct heaptrack_file *file, uint32_t slot)
{
    int64_t bytes = 0;
    for (size_t i = file->next_death; i < file->runs.runs.count; i++) {
        const struct block_run *run = &file->runs.runs.items[file->by_death[i]];
        if (run->died > slot)
            break;
        if (run->died == slot && !is_pair(run))
            bytes += (int64_t)run->freed;
    }
    return bytes;
}

/* Pairs leave the level as it was, so those of the whole bucket are written where it is lowest,
 * before or after the peak: there they cannot make a higher one. */
static void write_peak_bucket(struct heaptrack_file *file, uint32_t slot)
{
    size_t births = file->next_birth;
    int64_t before = file->events.level - bytes_dying_in(file, slot);
    int64_t after = file->sums.peak_total - bytes_dying_in(file, slot + 1);
    write_deaths(file, slot);
    if (before <= after)
        write_pairs(file, births, slot, slot + 1);
    write_time(file, file->sums.peak_ns);
    write_births(file, slot);
    heaptrack_peak(&file->events, peak_block(file));
    write_deaths(file, slot + 1);
    if (before > after)
        write_pairs(file, births, slot, slot + 1);
    write_births(file, slot + 1);
}

/* 0 or -ENOMEM. */
static int write_buckets(struct heaptrack_file *file, struct output *out)
{
    const struct recording *recording = file->job->recording;
    uint32_t slot = 0;
    uint64_t end_ns = recording->duration_ns;
    int const err = heaptrack_events_begin(&file->events, out);
    if (err < 0)
        return err;
    file->next_birth = file->next_death = 0;
    file->time_ms = 0;
    for (size_t i = 0; i < recording->buckets.count && !file->events.failed; i++) {
        const struct bucket *bucket = &recording->buckets.items[i];
        write_time(file, bucket->begin_ns);
        if (i == file->sums.peak_bucket) {
            write_peak_bucket(file, slot);
            slot += 2;
        } else {
            write_deaths(file, slot);
            write_pairs(file, file->next_birth, slot, slot);
            write_births(file, slot++);
        }
        write_rss(file, bucket);
        if (bucket->end_ns > end_ns)
            end_ns = bucket->end_ns;
    }
    write_time(file, end_ns);
    return file->events.failed ? -ENOMEM : 0;
}

/* One event in `scale` keeps the file under the limit, whatever the run did. */
static uint64_t choose_scale(const struct heaptrack_file *file)
{
    uint64_t events = 0, limit = file->job->max_events ? file->job->max_events : UINT64_MAX;
    for (size_t i = 0; i < file->runs.runs.count; i++) {
        const struct block_run *run = &file->runs.runs.items[i];
        events += run->count * (run->died == SLOT_NEVER ? 1 : 2);
    }
    return events <= limit ? 1 : (events - 1) / limit + 1;
}

static void note_before(struct heaptrack_file *file)
{
    struct export_job *job = file->job;
    const struct quality *quality = &job->recording->quality;
    if (file->events.scale > 1)
        export_note(
            job,
            HEAPTRACK_SCALED
            "%" PRIu64
            " is written (--max-events): multiply calls and temporary counts by it; peak and "
            "leaked bytes are %s",
            file->events.scale,
            job->has_losses ? "as in the recording, and no more exact than there" : "exact");
    if (file->runs.resized_frees)
        export_note(job,
                    "%" PRIu64
                    " frees carry another size than their block had, because only the sums "
                    "of sizes are known",
                    file->runs.resized_frees);
    if (file->runs.temporary_left_over)
        export_note(job, "%" PRIu64 " temporary blocks are not counted as such",
                    file->runs.temporary_left_over);
    if (file->runs.frees_left_out)
        export_note(job, "%" PRIu64 " frees of unknown blocks are left out",
                    file->runs.frees_left_out);
    if (file->sums.peak_bucket == SIZE_MAX)
        export_note(job,
                    "the recording has no picture of its peak: heaptrack will find the highest "
                    "of the bucket ends");
    if (quality->lost_calls)
        export_note(job,
                    "%" PRIu64 " allocations lost while recording are in no stack and not here",
                    quality->lost_calls);
}

static void note_after(struct heaptrack_file *file)
{
    const struct heaptrack_events *events = &file->events;
    if (events->peak != PEAK_UNKNOWN && events->highest != events->peak)
        export_note(file->job,
                    "heaptrack will show a peak of %" PRId64 " bytes instead of %" PRId64,
                    events->highest, events->peak);
    if (events->shrunk)
        export_note(file->job,
                    "%" PRIu64
                    " short-lived blocks are written smaller than they were, to keep the "
                    "peak where it was",
                    events->shrunk);
}

static void write_notes(struct heaptrack_file *file, size_t from)
{
    for (size_t i = from; i < file->job->notes.count; i++) {
        output_text(file->out, "# ");
        output_line(file->out, file->job->notes.text[i]);
    }
}

static int write_all(struct heaptrack_file *file)
{
    int err = heap_sums_to_runs(&file->sums, &file->runs);
    if (err == 0)
        err = order_runs(file);
    if (err < 0)
        return err;
    bool has_peak = file->sums.peak_bucket != SIZE_MAX;
    file->events.peak = has_peak ? file->sums.peak_total : PEAK_UNKNOWN;
    file->events.scale = choose_scale(file);
    write_header(file);
    note_before(file);
    write_notes(file, 0);
    err = write_traces(file);
    file->events.traces = file->traces;
    if (err == 0)
        err = write_buckets(file, NULL);
    if (err == 0)
        err = write_buckets(file, file->out);
    size_t notes = file->job->notes.count;
    note_after(file);
    write_notes(file, notes);
    return err;
}

int heaptrack_write(struct export_job *job, struct output *out, struct fault *fault)
{
    struct heaptrack_file file = {.job = job, .out = out};
    if (!recording_counts_blocks(job->recording))
        return fault_set(
            fault, -EINVAL,
            "a heaptrack file is made of single blocks, and this recording does not tell any: "
            "export to massif, pprof or folded");
    int err = heap_sums_gather(job->recording, &file.sums, fault);
    output_be_text(out);
    if (err == 0) {
        err = write_all(&file);
        if (err < 0)
            fault_set(fault, err, "Not enough memory to write the events.");
    }
    heaptrack_events_fini(&file.events);
    heap_sums_fini(&file.sums);
    block_runs_fini(&file.runs);
    free(file.traces);
    free(file.by_birth);
    free(file.by_death);
    return err;
}
