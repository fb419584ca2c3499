/* SPDX-License-Identifier: Apache-2.0 */
#include "store/write/copy.h"

#include <errno.h>
#include <fcntl.h>

#include "base/invariant.h"
#include "store/write/writer.h"

/* What one bucket costs besides its cells, in cells. */
#define WORK_PER_BUCKET 50

struct copy {
    struct recording_writer *writer;
    struct recording *recording;
    struct source old;
    struct growing_file file;
    struct file_contents contents;
    struct coarsen_plan plan;
    uint64_t most_bytes; /* give up beyond this */
    uint64_t damaged;    /* chunks that could not be read back */
    size_t next;         /* bucket of the old file */
    size_t group_first;
    size_t group_end;        /* of the group that `next` is in; equal to it between groups */
    struct bucket merged;    /* that group so far */
    struct cell_sum sums[2]; /* its cells and thread cells */
    struct moment_list moments;
};

/* Appends what was sealed last. */
static int put_sealed(struct copy *copy)
{
    struct byte_buffer *sealed = &copy->writer->sealed;
    INVARIANT(sealed->size >= CHUNK_HEADER_BYTES);
    if (copy->file.size + sealed->size > copy->most_bytes)
        return -EFBIG;
    int err = growing_file_append(&copy->file, sealed->data, sealed->size);
    bytes_clear(sealed);
    return err;
}

static int seal_and_put(struct copy *copy)
{
    bytes_clear(&copy->writer->sealed);
    int err = chunk_seal(copy->writer->packer, &copy->writer->draft, &copy->writer->sealed);
    return err < 0 ? err : put_sealed(copy);
}

static int copy_tables(struct copy *copy)
{
    struct chunk_draft *draft = &copy->writer->draft;
    bool more = true;
    while (more) {
        draft_clear(draft);
        more = tables_put(&copy->contents.cursor, copy->recording, draft);
        int err = draft->raw.size > 0 ? seal_and_put(copy) : 0;
        if (err < 0)
            return err;
        table_cursor_commit(&copy->contents.cursor, copy->recording);
    }
    return 0;
}

/* The draft's plain part over the packed part of a chunk that holds nothing but cells. */
static int put_packed(struct copy *copy, const struct found_chunk *found)
{
    bytes_clear(&copy->writer->sealed);
    int err = chunk_seal_packed(&copy->writer->draft, &found->header,
                                found->payload + found->header.plain_bytes, &copy->writer->sealed);
    return err < 0 ? err : put_sealed(copy);
}

/* Copies the pin of a slot and corrects where it is. */
static int copy_pin(struct copy *copy, size_t slot, struct stored_pin *stored)
{
    struct chunk_draft *draft = &copy->writer->draft;
    struct pin pin = {.kind = stored->kind, .time_ns = stored->time_ns, .label = stored->label};
    struct found_chunk found;
    INVARIANT(stored->offset >= FILE_HEADER_BYTES);
    if (!chunk_at(&copy->old, stored->offset, &found)) {
        copy->damaged++;
        stored->offset = 0;
        return 0;
    }
    draft_clear(draft);
    draft->begin_ns = draft->end_ns = pin.time_ns;
    pin_head_put(&draft->section, &pin, slot);
    draft_plain_section(draft, SECTION_PIN);
    stored->offset = copy->file.size;
    int err = put_packed(copy, &found);
    stored->length = copy->file.size - stored->offset;
    return err;
}

static int copy_pins(struct copy *copy)
{
    int err = 0;
    for (size_t i = 0; i < copy->writer->contents.pins.count && err == 0; i++) {
        struct stored_pin stored = copy->writer->contents.pins.items[i];
        if (stored.offset > 0)
            err = copy_pin(copy, i, &stored);
        if (err == 0 && !vec_push(&copy->contents.pins, stored))
            err = -ENOMEM;
    }
    return err;
}

static void draft_bucket(struct chunk_draft *draft, const struct bucket *bucket)
{
    draft->begin_ns = bucket->begin_ns;
    draft->end_ns = bucket->end_ns;
    bucket_head_put(&draft->section, bucket);
    draft_plain_section(draft, SECTION_BUCKET);
}

/* When they were is not told of a group; without that they are few. */
static int add_moments(struct copy *copy, const struct cell_lists *lists)
{
    struct moment_list *all = &copy->moments;
    if (lists->moment_count == 0)
        return 0;
    if (!vec_reserve(all, lists->moment_count))
        return -ENOMEM;
    memcpy(all->items + all->count, lists->moments, lists->moment_count * sizeof(all->items[0]));
    all->count = moments_fold(all->items, all->count + lists->moment_count);
    INVARIANT(all->count <= all->room);
    return 0;
}

static int add_cells_of(struct copy *copy, const struct bucket *bucket)
{
    struct found_chunk found;
    struct cell_lists lists;
    if (bucket->cell_count == 0)
        return 0;
    if (!chunk_at(&copy->old, bucket->file_offset, &found)) {
        copy->damaged++;
        return 0;
    }
    int err = cell_lists_parse(copy->writer->packer, &found, &lists);
    if (err == -EINVAL) {
        copy->damaged++;
        return 0;
    }
    if (err == 0)
        err = cell_sum_add(&copy->sums[0], lists.cells, lists.cell_count);
    if (err == 0)
        err = cell_sum_add(&copy->sums[1], lists.thread_cells, lists.thread_cell_count);
    if (err == 0)
        err = add_moments(copy, &lists);
    cell_lists_free(&lists);
    return err;
}

/* Drafts the sum of a group as one bucket. */
static int draft_sum(struct copy *copy)
{
    struct cell_lists lists = {.cells = copy->sums[0].list.items,
                               .cell_count = copy->sums[0].list.count,
                               .thread_cells = copy->sums[1].list.items,
                               .thread_cell_count = copy->sums[1].list.count,
                               .moments = copy->moments.items,
                               .moment_count = copy->moments.count};
    draft_clear(&copy->writer->draft);
    int err = cell_lists_put(&copy->writer->draft, &lists);
    copy->merged.cell_count = lists.cell_count;
    copy->merged.thread_cell_count = lists.thread_cell_count;
    copy->merged.moment_count = lists.moment_count;
    draft_bucket(&copy->writer->draft, &copy->merged);
    copy->merged.cell_count += copy->merged.thread_cell_count + copy->merged.moment_count;
    copy->merged.thread_cell_count = copy->merged.moment_count = 0;
    return err;
}

static int end_group(struct copy *copy)
{
    INVARIANT(copy->next == copy->group_end && copy->group_first < copy->group_end);
    int err = cell_sum_finish(&copy->sums[0]);
    if (err == 0)
        err = cell_sum_finish(&copy->sums[1]);
    if (err == 0)
        err = draft_sum(copy);
    cell_sum_fini(&copy->sums[0]);
    cell_sum_fini(&copy->sums[1]);
    vec_free(&copy->moments);
    copy->merged.file_offset = copy->file.size;
    if (err == 0)
        err = seal_and_put(copy);
    if (err == 0 && !vec_push(&copy->contents.buckets, copy->merged))
        err = -ENOMEM;
    return err;
}

static int copy_bucket(struct copy *copy, struct bucket *bucket)
{
    struct found_chunk found;
    uint64_t offset = copy->file.size;
    if (!chunk_at(&copy->old, bucket->file_offset, &found) || found.header.flags & CHUNK_TABLES)
        return -EAGAIN;
    draft_clear(&copy->writer->draft);
    draft_bucket(&copy->writer->draft, bucket);
    bucket->file_offset = offset;
    return put_packed(copy, &found);
}

/* Begins the group of the next bucket; copies it when it stands alone. */
static int begin_group(struct copy *copy)
{
    INVARIANT(copy->next == copy->group_end);
    copy->merged = copy->plan.buckets[copy->next];
    copy->group_first = copy->next;
    bool planned = copy->next < copy->plan.count; /* later ones came while we were copying */
    copy->group_end = planned ? coarsen_group_end(&copy->plan, copy->next) : copy->next + 1;
    INVARIANT(copy->group_end > copy->next);
    if (copy->group_end > copy->next + 1)
        return 0;
    int err = copy_bucket(copy, &copy->merged);
    if (err == -EAGAIN)
        return 0;
    copy->next++;
    if (err == 0 && !vec_push(&copy->contents.buckets, copy->merged))
        err = -ENOMEM;
    return err;
}

static int add_to_group(struct copy *copy)
{
    INVARIANT(copy->next >= copy->group_first && copy->next < copy->group_end);
    const struct bucket *bucket = &copy->plan.buckets[copy->next];
    if (copy->next > copy->group_first)
        coarsen_absorb(&copy->merged, bucket);
    int err = add_cells_of(copy, bucket);
    copy->next++;
    if (err == 0 && copy->next == copy->group_end)
        err = end_group(copy);
    return err;
}

/* Copies buckets until `work` is used up; true in *all when none is left. */
static int copy_buckets(struct copy *copy, size_t work, bool *all)
{
    size_t count = copy->writer->contents.buckets.count;
    int err = 0;
    while (err == 0 && copy->next < count && work > 0) {
        size_t cost = copy->plan.buckets[copy->next].cell_count + WORK_PER_BUCKET;
        work -= cost < work ? cost : work;
        if (copy->next == copy->group_end)
            err = begin_group(copy);
        if (err == 0 && copy->next < copy->group_end)
            err = add_to_group(copy);
    }
    INVARIANT(copy->next <= count && copy->contents.buckets.count <= copy->next);
    *all = copy->next == count;
    return err;
}

static bool is_coarser(const struct copy *copy)
{
    return copy->contents.buckets.count < copy->next;
}

/* The state as it was written last, which is that of the buckets: the recording may know more
 * already, of a bucket that still waits. */
static int copy_state(struct copy *copy)
{
    struct chunk_draft *draft = &copy->writer->draft;
    const struct byte_buffer *state = &copy->writer->state;
    draft_clear(draft);
    if (state->size > 0)
        put_bytes(&draft->section, state->data, state->size);
    else
        state_put(&draft->section, copy->recording);
    if (is_coarser(copy) && !draft->section.failed)
        state_set_coarsened(draft->section.data);
    draft_plain_section(draft, SECTION_STATE);
    return seal_and_put(copy);
}

/* The buckets that the recorder holds as written become those of the new file. */
static void adjust_recording(struct recording_writer *writer, struct recording *recording)
{
    if (recording->load_bucket)
        return; /* they belong to another file */
    size_t now = writer->contents.buckets.count, was = writer->buckets_done;
    INVARIANT(now <= was && was <= recording->buckets.count);
    struct bucket *items = recording->buckets.items;
    memmove(items + now, items + was, (recording->buckets.count - was) * sizeof(items[0]));
    recording->buckets.count -= was - now;
    writer->buckets_done = now;
    for (size_t i = 0; i < now; i++) {
        items[i] = writer->contents.buckets.items[i];
        if (items[i].cell_count == 0)
            items[i].file_offset = 0;
        items[i].cell_count = 0;
    }
}

/* The writer goes on with the new file. */
static void adopt(struct copy *copy)
{
    INVARIANT(copy->next == copy->writer->contents.buckets.count);
    struct recording_writer *writer = copy->writer;
    struct recording *recording = copy->recording;
    recording->quality.coarsened |= is_coarser(copy);
    recording->quality.damaged_chunks += copy->damaged; /* told by the next state */
    growing_file_close(&writer->file);
    file_contents_fini(&writer->contents);
    writer->file = copy->file;
    growing_file_write_behind(&writer->file, writer->behind);
    if (writer->finishing)
        growing_file_be_patient(&writer->file);
    writer->contents = copy->contents;
    adjust_recording(writer, recording);
    bytes_free(&copy->old.window);
    free(copy);
    writer->copy = NULL;
}

/* What may still change comes last: rows that are new since copy_begin, pins, the state. */
static int finish_copy(struct copy *copy)
{
    const struct recording_writer *writer = copy->writer;
    int err = copy_tables(copy);
    if (err == 0)
        err = copy_pins(copy);
    if (err == 0)
        err = copy_state(copy);
    if (err == 0)
        err = growing_file_replace(&copy->file, writer->path, &writer->file);
    return err;
}

int copy_begin(struct recording_writer *writer, const struct coarsen_plan *plan,
               uint64_t most_bytes)
{
    uint8_t header[FILE_HEADER_BYTES];
    copy_drop(writer);
    INVARIANT(!writer->copy);
    struct copy *copy = calloc(1, sizeof(*copy));
    if (!copy)
        return -ENOMEM;
    copy->writer = writer;
    copy->plan = *plan;
    copy->most_bytes = most_bytes;
    writer->copy = copy;
    file_header_put(header);
    int err = growing_file_create_beside(&copy->file, writer->path);
    if (err == 0)
        err = growing_file_append(&copy->file, header, sizeof(header));
    if (err < 0)
        copy_drop(writer);
    return err;
}

int copy_advance(struct recording_writer *writer, struct recording *recording, size_t work)
{
    struct copy *copy = writer->copy;
    INVARIANT(copy->file.size >= FILE_HEADER_BYTES &&
              copy->plan.count <= writer->contents.buckets.count);
    uint64_t before = copy->file.size;
    bool all = false;
    copy->recording = recording;
    copy->plan.recording = recording;
    copy->plan.buckets = writer->contents.buckets.items;
    copy->old.fd = writer->file.fd;
    copy->old.size = writer->file.size;
    int err = growing_file_settle(&writer->file); /* what is copied is read back */
    if (err == 0 && before == FILE_HEADER_BYTES)
        err = copy_tables(copy);
    if (err == 0)
        err = copy_buckets(copy, work, &all);
    if (err == 0 && all)
        err = finish_copy(copy);
    if (err < 0) {
        copy_drop(writer);
        return err;
    }
    if (all) {
        adopt(copy);
        return 1;
    }
    /* let the disk begin now, so that the sync at the end is short */
    (void)sync_file_range(copy->file.fd, (off_t)before, (off_t)(copy->file.size - before),
                          SYNC_FILE_RANGE_WRITE);
    return 0;
}

void copy_drop(struct recording_writer *writer)
{
    struct copy *copy = writer->copy;
    if (!copy)
        return;
    growing_file_discard(&copy->file);
    file_contents_fini(&copy->contents);
    cell_sum_fini(&copy->sums[0]);
    cell_sum_fini(&copy->sums[1]);
    vec_free(&copy->moments);
    bytes_free(&copy->old.window); /* the file itself is the writer's */
    free(copy);
    writer->copy = NULL;
}
