/* SPDX-License-Identifier: Apache-2.0 */
/* massif_writer.c - writes massif.out for ms_print and massif-visualizer.  These accept different
 * things (docs/formats.md); the file suits both. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "analyze/trees/snapshot_tree.h"
#include "analyze/trees/stack_match.h"
#include "formats/massif/massif_format.h"
#include "formats/shared/writers.h"

struct massif_file {
    struct export_job *job;
    struct output *out;
    struct snapshots snapshots;
    double share;
};

/* ms_print takes everything behind a '#' for a comment, whatever the line. */
static void put_char(struct output *out, char c)
{
    if (c == '#')
        output_text(out, "＃");
    else
        output_char(out, (unsigned char)c < ' ' || c == 127 ? ' ' : c);
}

static bool is_balanced(const char *text)
{
    long open = 0;
    for (; *text && open >= 0; text++)
        open += *text == '(' ? 1 : *text == ')' ? -1 : 0;
    return open == 0;
}

/* Where the last " (" begins is where massif-visualizer takes the location to begin. */
static void put_without_parentheses(struct output *out, const char *text)
{
    for (; *text; text++)
        put_char(out, *text == '(' ? '[' : *text == ')' ? ']' : *text);
}

static void put_name(struct output *out, const char *name)
{
    if (!is_balanced(name)) {
        put_without_parentheses(out, name);
        return;
    }
    for (; *name; name++)
        put_char(out, *name);
}

static void put_place(const struct massif_file *file, const struct tree_line *line)
{
    const struct recording *recording = file->job->recording;
    const char *source = recording_text(recording, line->file);
    const char *module = recording_text(recording, line->module);
    put_name(file->out, recording_text(recording, line->function));
    if (*source) {
        output_text(file->out, " (");
        put_without_parentheses(file->out, source);
        if (line->line)
            output_format(file->out, ":%" PRIu32, line->line);
        output_char(file->out, ')');
    } else {
        output_text(file->out, " (in ");
        put_without_parentheses(file->out, *module ? module : "???");
        output_char(file->out, ')');
    }
}

static void put_root(const struct massif_file *file)
{
    const struct metric *metric = file->snapshots.metric;
    if (metric->plus == COL_HEAP_BYTES)
        output_text(file->out, MASSIF_ROOT_HEAP);
    else if (metric->plus == COL_MAP_BYTES)
        output_text(file->out, MASSIF_ROOT_PAGES);
    else
        output_format(file->out, "(%s) %s", metric->name, metric->help);
}

static void put_line(const struct massif_file *file, const struct tree_line *line)
{
    struct output *out = file->out;
    for (uint32_t i = 0; i < line->depth; i++)
        output_char(out, ' ');
    output_format(out, "n%" PRIu32 ": %" PRId64 " ", line->children, line->bytes);
    switch (line->kind) {
    case TREE_LINE_ROOT:
        put_root(file);
        break;
    case TREE_LINE_PLACE:
        put_place(file, line);
        break;
    case TREE_LINE_SMALL:
        output_format(out, "in %" PRIu32 " place%s " MASSIF_BELOW " (%.2f%%)", line->places,
                      line->places == 1 ? "," : "s, all", 100 * file->share);
        break;
    case TREE_LINE_END:
        output_text(out, line->depth == 1 ? "[no stack]" : "[stacks that end here]");
        break;
    }
    output_char(out, '\n');
}

static int put_tree(const struct massif_file *file, const struct snapshot *snapshot)
{
    struct snapshot_tree tree;
    double const least = file->share * (double)snapshot_total(snapshot);
    struct tree_limits const limits = {SNAPSHOT_DEPTH_DEFAULT, (int64_t)least};
    int const err = snapshot_tree_build(file->job->recording, &snapshot->weights, limits, &tree);
    if (err)
        return err;
    vec_each (line, &tree.lines)
        put_line(file, line);
    snapshot_tree_fini(&tree);
    return 0;
}

/* Times grow to the last; a run of less than a millisecond still has an end. */
static uint64_t shown_ms(const struct massif_file *file, const struct snapshot *snapshot)
{
    bool const is_first = snapshot == file->snapshots.items.items;
    uint64_t const ms = snapshot->time_ns / MASSIF_NS_PER_MS;
    return is_first || ms > 0 ? ms : 1;
}

static int put_snapshot(const struct massif_file *file, size_t number)
{
    const struct snapshot *snapshot = &file->snapshots.items.items[number];
    const char *tree = number == file->snapshots.peak ? "peak" : "detailed";
    /* Sums by stack leave out what is below zero: never less than the tree. */
    int64_t const bytes = snapshot->bytes > snapshot->weights.total_value
                              ? snapshot->bytes
                              : snapshot->weights.total_value;
    output_format(file->out, MASSIF_RULER "\nsnapshot=%zu\n" MASSIF_RULER "\n", number);
    output_format(file->out, "time=%" PRIu64 "\nmem_heap_B=%" PRId64 "\n", shown_ms(file, snapshot),
                  bytes);
    output_format(file->out, "mem_heap_extra_B=%" PRId64 "\nmem_stacks_B=%" PRId64 "\n",
                  snapshot_extra(snapshot), snapshot->stacks_bytes);
    output_format(file->out, "heap_tree=%s\n", snapshot->is_detailed ? tree : "empty");
    return snapshot->is_detailed ? put_tree(file, snapshot) : 0;
}

static int put_all(const struct massif_file *file)
{
    const struct recording *recording = file->job->recording;
    const char *command = recording_text(recording, recording->command_line);
    output_format(file->out,
                  "desc: --max-snapshots=%zu --threshold=%.2f --depth=%d", /* as massif's own */
                  file->job->snapshots, 100 * file->share, SNAPSHOT_DEPTH_DEFAULT);
    output_format(file->out, " (%s, by memoir " MEMOIR_VERSION ")", file->snapshots.metric->name);
    if (*export_losses(file->job))
        output_format(file->out, " %s", export_losses(file->job));
    output_text(file->out, "\ncmd: ");
    put_name(file->out, *command ? command : "(unknown)");
    output_text(file->out, "\ntime_unit: ms\n");
    int err = 0;
    for (size_t i = 0; i < file->snapshots.items.count && !err; i++)
        err = put_snapshot(file, i);
    return err;
}

static void tell(const struct massif_file *file)
{
    struct export_job *job = file->job;
    const struct snapshots *snapshots = &file->snapshots;
    if (job->with_stacks && !snapshots->has_stacks)
        export_note(job, "the stacks of threads are not in this recording: record with "
                         "--map-every 1s, which looks at the pages");
    if (snapshots->instants > snapshots->items.count)
        export_note(job, "%zu of %zu instants are in the file: --snapshots N takes more",
                    snapshots->items.count, snapshots->instants);
    if (!snapshots->is_peak_exact)
        export_note(job,
                    "the peak is the highest end of a bucket: what was between two is not known%s",
                    job->filter ? " for some of the stacks alone" : " of this metric");
    if (!snapshots->has_slack && snapshots->metric->plus == COL_HEAP_BYTES)
        export_note(
            job, "the recording does not tell what the allocator takes beside blocks: extra is 0");
}

static int make_snapshots(struct massif_file *file, struct fault *fault)
{
    struct export_job *job = file->job;
    struct snapshot_choice choice = {.range = job->range,
                                     .max = job->snapshots,
                                     .detailed_every = SNAPSHOT_DETAILED_EVERY,
                                     .with_stacks = job->with_stacks};
    uint32_t *codes = NULL;
    choice.metric = snapshots_metric(job->metric, fault);
    if (!choice.metric)
        return -EINVAL;
    if (job->metric && choice.metric != job->metric)
        export_note(job, "a massif file contains memory over time: this is %s, not %s alone",
                    choice.metric->name, job->metric->name);
    int err = job->filter ? stack_match_pattern(job->recording, job->filter, &codes, fault) : 0;
    if (err)
        return err;
    choice.codes = codes;
    err = snapshots_make(job->recording, &choice, &file->snapshots, fault);
    free(codes);
    return err;
}

int massif_write(struct export_job *job, struct output *out, struct fault *fault)
{
    struct massif_file file = {.job = job, .out = out, .share = SNAPSHOT_SHARE_THRESHOLD};
    if (job->snapshots == 0)
        job->snapshots = SNAPSHOTS_DEFAULT;
    if (job->threshold_share > 0)
        file.share = job->threshold_share;
    int err = make_snapshots(&file, fault);
    if (err)
        return err;
    output_be_text(out);
    err = put_all(&file);
    if (err)
        fault_set(fault, err, "Not enough memory to build the trees.");
    else
        tell(&file);
    snapshots_fini(&file.snapshots);
    return err;
}
