/* SPDX-License-Identifier: Apache-2.0 */
#include "store/write/backing.h"

#include <errno.h>

#include "base/invariant.h"

static void check_moments(const struct recording *recording, struct cell_lists *lists)
{
    const struct backing *backing = recording->backing;
    uint32_t const stacks = stack_table_count(recording->stacks);
    size_t kept = 0;
    for (size_t i = 0; i < lists->moment_count; i++) {
        struct moment moment = lists->moments[i];
        if (moment.stack > stacks)
            moment.stack = STACK_EMPTY;
        if (moment.thread >= recording->threads.count)
            moment.thread = backing->unknown_thread;
        if (moment.thread != NO_THREAD)
            lists->moments[kept++] = moment;
    }
    lists->moment_count = kept;
}

/* Keys that point to lost rows keep their numbers, under a row of which nothing is known. */
static void check_keys(const struct recording *recording, struct cell_lists *lists)
{
    const struct backing *backing = recording->backing;
    uint32_t stacks = stack_table_count(recording->stacks);
    for (size_t i = 0; i < lists->cell_count; i++)
        if (lists->cells[i].key > stacks)
            lists->cells[i].key = STACK_EMPTY;
    size_t kept = 0;
    for (size_t i = 0; i < lists->thread_cell_count; i++) {
        struct cell cell = lists->thread_cells[i];
        if (cell.key >= recording->threads.count)
            cell.key = backing->unknown_thread;
        if (cell.key != NO_THREAD)
            lists->thread_cells[kept++] = cell;
    }
    lists->thread_cell_count = kept;
    INVARIANT(backing->unknown_thread == NO_THREAD ||
              backing->unknown_thread < recording->threads.count);
    check_moments(recording, lists);
}

int backing_load_cells(struct recording *recording, uint64_t offset, struct cell_lists *lists)
{
    struct backing *backing = recording->backing;
    struct found_chunk found;
    if (!chunk_at(&backing->source, offset, &found))
        return -EIO;
    int err = cell_lists_parse(backing->packer, &found, lists);
    if (err == 0)
        check_keys(recording, lists);
    return err;
}

static int tell_unread(const struct bucket *bucket, int err, struct fault *fault)
{
    if (err == -ENOMEM)
        return fault_set(fault, err, FAULT_NO_MEMORY);
    return fault_at(fault, err, bucket->file_offset,
                    "the numbers from %.3f s to %.3f s of the recording cannot be read: the file "
                    "is damaged at byte %llu",
                    (double)bucket->begin_ns / 1e9, (double)bucket->end_ns / 1e9,
                    (unsigned long long)bucket->file_offset);
}

int backing_load_bucket(struct recording *recording, struct bucket *bucket, struct fault *fault)
{
    INVARIANT(bucket->file_offset != 0 && !bucket->cells && !bucket->thread_cells);
    struct cell_lists lists;
    int err = backing_load_cells(recording, bucket->file_offset, &lists);
    if (err < 0)
        return tell_unread(bucket, err, fault);
    bucket->cells = lists.cells;
    bucket->cell_count = lists.cell_count;
    bucket->thread_cells = lists.thread_cells;
    bucket->thread_cell_count = lists.thread_cell_count;
    bucket->moments = lists.moments;
    bucket->moment_count = lists.moment_count;
    return 0;
}

int backing_read_columns(struct recording *recording, const struct bucket *bucket,
                         const bool *wanted, struct bucket_cells *into, struct fault *fault)
{
    struct backing *backing = recording->backing;
    struct found_chunk found;
    int err = chunk_at(&backing->source, bucket->file_offset, &found) ? 0 : -EIO;
    if (err == 0)
        err = cell_columns_parse(backing->packer, &found, wanted, into);
    if (err < 0)
        return tell_unread(bucket, err, fault);
    struct cell_lists lists = {.cells = into->cells.items,
                               .cell_count = into->cells.count,
                               .thread_cells = into->thread_cells.items,
                               .thread_cell_count = into->thread_cells.count};
    check_keys(recording, &lists);
    into->thread_cells.count = lists.thread_cell_count;
    return 0;
}

void backing_close(struct recording *recording)
{
    struct backing *backing = recording->backing;
    if (!backing)
        return;
    source_fini(&backing->source);
    chunk_packer_destroy(backing->packer);
    free(backing);
    recording->backing = NULL;
}
