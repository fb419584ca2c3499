/* SPDX-License-Identifier: Apache-2.0 */
/* compact.c - when the file is rewritten, and how coarse. */
#include <errno.h>

#include "store/write/copy.h"
#include "base/invariant.h"
#include "store/write/writer.h"

#define BUCKETS_MAX    32768 /* about nine hours of seconds; more cost memory, however small */
#define TIDY_MIN_BYTES ((uint64_t)32 * 1024)
#define WORK_AT_ONCE   ((size_t)200 * 1000) /* cells per append: some ten milliseconds */
#define WAIT_APPENDS   64

void file_contents_fini(struct file_contents *contents)
{
    table_cursor_fini(&contents->cursor);
    vec_free(&contents->buckets);
    vec_free(&contents->pins);
}

static struct coarsen_plan plan_of(const struct recording_writer *writer,
                                   const struct recording *recording)
{
    return (struct coarsen_plan){.buckets = writer->contents.buckets.items,
                                 .count = writer->contents.buckets.count,
                                 .recording = recording};
}

static uint64_t wanted_bytes(const struct recording_writer *writer)
{
    INVARIANT(writer->max_bytes > 0);
    return writer->max_bytes / 10 * 7;
}

/* How many buckets there may be afterwards. */
static size_t wanted_buckets(const struct recording_writer *writer)
{
    return writer->contents.buckets.count >= BUCKETS_MAX ? BUCKETS_MAX / 2 : BUCKETS_MAX;
}

/* Replaced pins and states may be all there is to save. */
static bool nothing_to_merge(const struct recording_writer *writer, uint64_t most_bytes)
{
    return writer->contents.buckets.count < BUCKETS_MAX &&
           writer->file.size - writer->contents.dead_bytes <= most_bytes;
}

static int copy_at_once(struct recording_writer *writer, struct recording *recording,
                        const struct coarsen_plan *plan, uint64_t most_bytes)
{
    int err = copy_begin(writer, plan, most_bytes);
    INVARIANT(err < 0 || writer->copy);
    if (err == 0)
        err = copy_advance(writer, recording, SIZE_MAX);
    return err == 1 ? 0 : err;
}

static int tell_too_small(struct recording_writer *writer, struct fault *fault)
{
    return fault_set(
        fault, -EFBIG,
        "the recording '%s' cannot stay below %llu bytes: its names, stacks and instants kept in "
        "full alone need more; use a larger --max-size",
        writer->path, (unsigned long long)writer->max_bytes);
}

static int compact_all(struct recording_writer *writer, struct recording *recording)
{
    struct coarsen_plan plan = plan_of(writer, recording);
    uint64_t needed = writer->needed_bytes;
    uint64_t room = writer->max_bytes > needed ? writer->max_bytes - needed : 0;
    uint64_t wanted = wanted_bytes(writer) < room ? wanted_bytes(writer) : room;
    INVARIANT(wanted <= room && room <= writer->max_bytes);
    int err = -EFBIG;
    if (nothing_to_merge(writer, wanted))
        err = copy_at_once(writer, recording, &plan, wanted);
    size_t tried = SIZE_MAX;
    plan.enabled = true;
    for (; plan.step < COARSEN_STEPS && err == -EFBIG; plan.step++) {
        bool last = plan.step == COARSEN_STEPS - 1;
        size_t groups = plan.count > 0 ? coarsen_group_count(&plan) : 0;
        if (!last && (groups == tried || groups > wanted_buckets(writer)))
            continue;
        tried = groups;
        err = copy_at_once(writer, recording, &plan, last ? room : wanted);
    }
    return err;
}

int compact_file(struct recording_writer *writer, struct recording *recording, struct fault *fault)
{
    int err = -EFBIG;
    if (writer->copy && copy_advance(writer, recording, SIZE_MAX) == 1 &&
        writer->file.size + writer->needed_bytes <= writer->max_bytes)
        return 0;
    err = compact_all(writer, recording);
    if (err == -EFBIG)
        return tell_too_small(writer, fault);
    if (err < 0)
        return fault_set(fault, err, "cannot write a coarser copy of '%s' beside it: %s",
                         writer->path, strerror(-err));
    return 0;
}

static bool copy_is_due(const struct recording_writer *writer)
{
    return writer->contents.buckets.count >= BUCKETS_MAX ||
           writer->file.size > writer->max_bytes / 10 * 8;
}

/* Begins with about the step that was enough the last time. */
static int begin_in_passing(struct recording_writer *writer, const struct recording *recording)
{
    struct coarsen_plan plan = plan_of(writer, recording);
    plan.enabled = !nothing_to_merge(writer, wanted_bytes(writer));
    plan.step = writer->copy_step;
    while (plan.enabled && plan.step + 1 < COARSEN_STEPS &&
           coarsen_group_count(&plan) > wanted_buckets(writer))
        plan.step++;
    writer->copy_step = plan.step;
    INVARIANT(plan.step < COARSEN_STEPS && !writer->copy);
    return copy_begin(writer, &plan, wanted_bytes(writer));
}

void compact_in_passing(struct recording_writer *writer, struct recording *recording)
{
    if (!growing_file_is_settled(&writer->file))
        return; /* a disk that is slow now need not read as well */
    if (writer->copy_wait > 0) {
        writer->copy_wait--;
        return;
    }
    if (!writer->copy && (!copy_is_due(writer) || begin_in_passing(writer, recording) < 0))
        return;
    int err = copy_advance(writer, recording, WORK_AT_ONCE);
    if (err == 1 && writer->copy_step > 0)
        writer->copy_step--; /* perhaps less will do the next time */
    else if (err == -EFBIG && writer->copy_step + 1 < COARSEN_STEPS)
        writer->copy_step++;
    else if (err < 0)
        writer->copy_wait = WAIT_APPENDS; /* the disk may be full: not again every second */
}

void tidy_file(struct recording_writer *writer, struct recording *recording)
{
    copy_drop(writer);
    INVARIANT(writer->finishing && !writer->copy);
    if (writer->contents.dead_bytes < TIDY_MIN_BYTES ||
        writer->contents.dead_bytes < writer->file.size / 4)
        return;
    struct coarsen_plan plan = plan_of(writer, recording);
    (void)copy_at_once(writer, recording, &plan, writer->max_bytes);
}
