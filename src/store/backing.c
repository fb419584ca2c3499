/* SPDX-License-Identifier: Apache-2.0 */
#include "store/backing.h"

#include <errno.h>

/* Keys that point to lost rows keep their numbers, under a row of which nothing is known. */
static void check_keys(const struct recording *recording, struct cell_pair *pair)
{
    const struct backing *backing = recording->backing;
    uint32_t stacks = stack_table_count(recording->stacks);
    for (size_t i = 0; i < pair->cell_count; i++)
        if (pair->cells[i].key > stacks)
            pair->cells[i].key = STACK_EMPTY;
    size_t kept = 0;
    for (size_t i = 0; i < pair->thread_cell_count; i++) {
        struct cell cell = pair->thread_cells[i];
        if (cell.key >= recording->threads.count)
            cell.key = backing->unknown_thread;
        if (cell.key != NO_THREAD)
            pair->thread_cells[kept++] = cell;
    }
    pair->thread_cell_count = kept;
}

int backing_load_cells(struct recording *recording, uint64_t offset, struct cell_pair *pair)
{
    struct backing *backing = recording->backing;
    struct found_chunk found;
    if (!chunk_at(&backing->source, offset, &found))
        return -EIO;
    int err = cell_pair_take(backing->packer, &found, pair);
    if (err == 0)
        check_keys(recording, pair);
    return err;
}

int backing_load_bucket(struct recording *recording, struct bucket *bucket, struct fault *fault)
{
    struct cell_pair pair;
    int err = backing_load_cells(recording, bucket->file_offset, &pair);
    if (err == -ENOMEM)
        return fault_set(fault, err, FAULT_NO_MEMORY);
    if (err < 0)
        return fault_at(
            fault, err, bucket->file_offset,
            "the numbers from %.3f s to %.3f s of the recording cannot be read: the file "
            "is damaged at byte %llu",
            (double)bucket->begin_ns / 1e9, (double)bucket->end_ns / 1e9,
            (unsigned long long)bucket->file_offset);
    bucket->cells = pair.cells;
    bucket->cell_count = pair.cell_count;
    bucket->thread_cells = pair.thread_cells;
    bucket->thread_cell_count = pair.thread_cell_count;
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
