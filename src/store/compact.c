/* SPDX-License-Identifier: Apache-2.0 */
/* compact.c - a smaller copy of the file, written beside it and renamed over it. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "store/coarsen.h"
#include "store/writer.h"

#define BUCKETS_MAX    32768 /* about nine hours of seconds; more cost memory, however small */
#define TIDY_MIN_BYTES ((uint64_t)32 * 1024)

struct copy {
    struct recording_writer *writer;
    struct recording *recording;
    struct source old;
    struct growing_file file;
    struct file_contents contents;
    struct coarsen_plan plan;
    uint64_t most_bytes; /* give up beyond this */
    uint64_t damaged;    /* chunks that could not be read back */
};

void file_contents_fini(struct file_contents *contents)
{
    table_cursor_fini(&contents->cursor);
    vec_free(&contents->buckets);
    vec_free(&contents->pins);
}

bool compact_is_due(const struct recording_writer *writer)
{
    return writer->contents.buckets.count >= BUCKETS_MAX;
}

/* Appends what was sealed last. */
static int put_sealed(struct copy *copy)
{
    struct byte_buffer *sealed = &copy->writer->sealed;
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

static int add_cells_of(struct copy *copy, const struct bucket *bucket, struct cell_sum sums[2])
{
    struct found_chunk found;
    struct cell_pair pair;
    if (bucket->cell_count == 0)
        return 0;
    if (!chunk_at(&copy->old, bucket->file_offset, &found)) {
        copy->damaged++;
        return 0;
    }
    int err = cell_pair_take(copy->writer->packer, &found, &pair);
    if (err == -EINVAL) {
        copy->damaged++;
        return 0;
    }
    if (err == 0)
        err = cell_sum_add(&sums[0], pair.cells, pair.cell_count);
    if (err == 0)
        err = cell_sum_add(&sums[1], pair.thread_cells, pair.thread_cell_count);
    cell_pair_free(&pair);
    return err;
}

/* Drafts the sum of buckets [first, end) into one. */
static int draft_sum(struct copy *copy, struct cell_sum sums[2], struct bucket *merged)
{
    struct cell_pair pair = {.cells = sums[0].list.items,
                             .cell_count = sums[0].list.count,
                             .thread_cells = sums[1].list.items,
                             .thread_cell_count = sums[1].list.count};
    draft_clear(&copy->writer->draft);
    int err = cell_pair_put(&copy->writer->draft, &pair);
    merged->cell_count = pair.cell_count;
    merged->thread_cell_count = pair.thread_cell_count;
    draft_bucket(&copy->writer->draft, merged);
    merged->cell_count += merged->thread_cell_count;
    merged->thread_cell_count = 0;
    return err;
}

static int merge_group(struct copy *copy, size_t first, size_t end, struct bucket *merged)
{
    const struct bucket *buckets = copy->plan.buckets;
    struct cell_sum sums[2] = {0};
    int err = 0;
    for (size_t i = first; i < end && err == 0; i++) {
        if (i > first)
            coarsen_absorb(merged, &buckets[i]);
        err = add_cells_of(copy, &buckets[i], sums);
    }
    if (err == 0)
        err = draft_sum(copy, sums, merged);
    cell_sum_fini(&sums[0]);
    cell_sum_fini(&sums[1]);
    merged->file_offset = copy->file.size;
    return err < 0 ? err : seal_and_put(copy);
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

static int copy_buckets(struct copy *copy)
{
    for (size_t first = 0, end; first < copy->plan.count; first = end) {
        struct bucket bucket = copy->plan.buckets[first];
        end = coarsen_group_end(&copy->plan, first);
        int err = end == first + 1 ? copy_bucket(copy, &bucket) : -EAGAIN;
        if (err == -EAGAIN)
            err = merge_group(copy, first, end, &bucket);
        if (err < 0)
            return err;
        if (!vec_push(&copy->contents.buckets, bucket))
            return -ENOMEM;
    }
    return 0;
}

static bool is_coarser(const struct copy *copy)
{
    return copy->contents.buckets.count < copy->plan.count;
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

static int write_copy(struct copy *copy)
{
    uint8_t header[FILE_HEADER_BYTES];
    file_header_put(header);
    int err = growing_file_create(&copy->file, copy->writer->temporary_path);
    if (err == 0)
        err = growing_file_append(&copy->file, header, sizeof(header));
    if (err == 0)
        err = copy_tables(copy);
    if (err == 0)
        err = copy_pins(copy);
    if (err == 0)
        err = copy_buckets(copy);
    if (err == 0)
        err = copy_state(copy);
    if (err == 0 && fsync(copy->file.fd) < 0)
        err = -errno;
    if (err == 0 && rename(copy->writer->temporary_path, copy->writer->path) < 0)
        err = -errno;
    if (err < 0 && copy->file.fd >= 0)
        unlink(copy->writer->temporary_path);
    return err;
}

/* The buckets that the recorder holds as written become those of the new file. */
static void adjust_recording(struct recording_writer *writer, struct recording *recording)
{
    if (recording->load_bucket)
        return; /* they belong to another file */
    size_t now = writer->contents.buckets.count, was = writer->buckets_done;
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

/* One attempt.  -EFBIG when the copy would be larger than `most_bytes`. */
static int try_copy(struct recording_writer *writer, struct recording *recording,
                    const struct coarsen_plan *plan, uint64_t most_bytes)
{
    struct copy copy = {.writer = writer,
                        .recording = recording,
                        .old = {.fd = writer->file.fd, .size = writer->file.size},
                        .file = {.fd = -1},
                        .plan = *plan,
                        .most_bytes = most_bytes};
    int err = write_copy(&copy);
    bytes_free(&copy.old.window); /* the file itself is the writer's */
    if (err < 0) {
        growing_file_close(&copy.file);
        file_contents_fini(&copy.contents);
        return err;
    }
    recording->quality.coarsened |= is_coarser(&copy);
    recording->quality.damaged_chunks += copy.damaged; /* told by the next state */
    growing_file_close(&writer->file);
    file_contents_fini(&writer->contents);
    writer->file = copy.file;
    writer->contents = copy.contents;
    adjust_recording(writer, recording);
    return 0;
}

static int tell_too_small(struct recording_writer *writer, struct fault *fault)
{
    return fault_set(
        fault, -EFBIG,
        "the recording '%s' cannot stay under %llu bytes: its names, stacks and pinned "
        "instants alone need more; give it a larger --max-size",
        writer->path, (unsigned long long)writer->max_bytes);
}

int compact_file(struct recording_writer *writer, struct recording *recording, struct fault *fault)
{
    struct coarsen_plan plan = {.buckets = writer->contents.buckets.items,
                                .count = writer->contents.buckets.count,
                                .recording = recording};
    uint64_t room =
        writer->max_bytes > writer->needed_bytes ? writer->max_bytes - writer->needed_bytes : 0;
    uint64_t wanted = writer->max_bytes / 10 * 7 < room ? writer->max_bytes / 10 * 7 : room;
    bool too_many = compact_is_due(writer);
    int err = -EFBIG;
    if (!too_many && writer->file.size - writer->contents.dead_bytes <= wanted)
        err = try_copy(writer, recording, &plan, wanted);
    size_t tried = SIZE_MAX;
    plan.enabled = true;
    for (; plan.step < COARSEN_STEPS && err == -EFBIG; plan.step++) {
        bool last = plan.step == COARSEN_STEPS - 1;
        size_t groups = plan.count > 0 ? coarsen_group_count(&plan) : 0;
        if (!last && (groups == tried || (too_many && groups > BUCKETS_MAX / 2)))
            continue;
        tried = groups;
        err = try_copy(writer, recording, &plan, last ? room : wanted);
    }
    if (err == -EFBIG)
        return tell_too_small(writer, fault);
    if (err < 0)
        return fault_set(fault, err, "cannot write a coarser copy of '%s' beside it: %s",
                         writer->path, strerror(-err));
    return 0;
}

int tidy_file(struct recording_writer *writer, struct recording *recording)
{
    if (writer->contents.dead_bytes < TIDY_MIN_BYTES ||
        writer->contents.dead_bytes < writer->file.size / 4)
        return 0;
    struct coarsen_plan plan = {.buckets = writer->contents.buckets.items,
                                .count = writer->contents.buckets.count,
                                .recording = recording};
    return try_copy(writer, recording, &plan, writer->max_bytes);
}
