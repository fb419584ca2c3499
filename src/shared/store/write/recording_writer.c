/* SPDX-License-Identifier: Apache-2.0 */
#include "store/write/recording_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/invariant.h"
#include "base/own_path.h"
#include "store/write/copy.h"
#include "store/write/place.h"
#include "store/write/writer.h"

#define SMALL_TABLES_BYTES ((size_t)4096) /* ride along with the next bucket */
#define PEAK_DEAD_BYTES    ((uint64_t)32 * 1024)

static void destroy(struct recording_writer *writer)
{
    copy_drop(writer);
    growing_file_close(&writer->file);
    file_contents_fini(&writer->contents);
    chunk_packer_destroy(writer->packer);
    draft_free(&writer->draft);
    bytes_free(&writer->sealed);
    bytes_free(&writer->state);
    free(writer->path);
    free(writer);
}

static int begin_file(struct recording_writer *writer, int claim)
{
    uint8_t header[FILE_HEADER_BYTES];
    file_header_put(header);
    int err = growing_file_take(&writer->file, writer->path, claim);
    if (err == 0)
        err = growing_file_append(&writer->file, header, sizeof(header));
    return err;
}

struct recording_writer *recording_writer_create(const char *path, uint64_t max_bytes,
                                                 struct fault *fault)
{
    return place_check(path, fault) < 0 ? NULL : recording_writer_take(path, -1, max_bytes, fault);
}

struct recording_writer *recording_writer_take(const char *path, int claim, uint64_t max_bytes,
                                               struct fault *fault)
{
    struct recording_writer *writer = calloc(1, sizeof(*writer));
    if (!writer) {
        if (claim >= 0)
            close(claim);
        fault_set(fault, -ENOMEM, "not enough memory to write '%s'", path);
        return NULL;
    }
    writer->file.fd = -1;
    writer->max_bytes = writer->asked_bytes = max_bytes ? max_bytes : UINT64_MAX;
    writer->packer = chunk_packer_create();
    writer->path = growing_file_place(path);
    bool const is_made = writer->packer && writer->path;
    if (!is_made && claim >= 0)
        close(claim);
    int err = is_made ? begin_file(writer, claim) : -ENOMEM;
    if (err == -EBUSY) {
        (void)place_busy(path, fault);
        destroy(writer);
        return NULL;
    }
    if (err < 0) {
        fault_set(fault, err, "cannot write %s: %s; choose another place with -o", path,
                  err == -EEXIST ? "this name belongs to something that is not a regular file"
                                 : strerror(-err));
        destroy(writer);
        return NULL;
    }
    return writer;
}

void recording_writer_write_behind(struct recording_writer *writer, struct write_behind *behind)
{
    writer->behind = behind;
    growing_file_write_behind(&writer->file, behind);
}

/* Where the recording is in its own time. */
static uint64_t now_of(const struct recording *recording)
{
    uint64_t now = recording->duration_ns;
    size_t buckets = recording->buckets.count;
    if (buckets > 0 && recording->buckets.items[buckets - 1].end_ns > now)
        now = recording->buckets.items[buckets - 1].end_ns;
    return now;
}

/* Seals the draft and appends it.  0, -EFBIG when it does not fit under the cap, or -errno. */
static int put_draft(struct recording_writer *writer)
{
    bytes_clear(&writer->sealed);
    int err = chunk_seal(writer->packer, &writer->draft, &writer->sealed);
    if (err < 0)
        return err;
    if (writer->file.size + writer->sealed.size > writer->max_bytes) {
        writer->needed_bytes = writer->sealed.size;
        return -EFBIG;
    }
    INVARIANT(writer->sealed.size >= CHUNK_HEADER_BYTES);
    return growing_file_append(&writer->file, writer->sealed.data, writer->sealed.size);
}

/* Adds the state to the draft; the one before is dead once this one is written. */
static void draft_state(struct recording_writer *writer, const struct recording *recording)
{
    state_put(&writer->draft.section, recording);
    draft_plain_section(&writer->draft, SECTION_STATE);
}

static void state_written(struct recording_writer *writer, const struct recording *recording)
{
    writer->contents.dead_bytes += writer->state.size;
    bytes_clear(&writer->state);
    state_put(&writer->state, recording);
}

bool writer_is_valid(const struct recording_writer *writer, const struct recording *recording)
{
    uint64_t end_ns = 0;
    bool valid = writer->buckets_done <= recording->buckets.count;
    vec_each (bucket, &writer->contents.buckets) {
        valid = valid && bucket->file_offset >= FILE_HEADER_BYTES && bucket->begin_ns >= end_ns;
        end_ns = bucket->end_ns;
    }
    return valid;
}

/* Writes tables until what is left fits into a bucket's chunk (or none is left when there is no
 * bucket to carry it); that rest is in the draft afterwards. */
static int write_tables(struct recording_writer *writer, const struct recording *recording,
                        bool bucket_follows)
{
    struct table_cursor *cursor = &writer->contents.cursor;
    for (bool more = true; more;) {
        draft_clear(&writer->draft);
        more = tables_put(cursor, recording, &writer->draft);
        bool small = !more && writer->draft.raw.size <= SMALL_TABLES_BYTES;
        if (writer->draft.raw.size == 0 || (small && bucket_follows))
            return 0;
        int err = put_draft(writer);
        if (err < 0)
            return err;
        table_cursor_commit(cursor, recording);
    }
    draft_clear(&writer->draft);
    return 0;
}

static bool pin_is_new(const struct recording_writer *writer, const struct recording *recording,
                       size_t slot)
{
    INVARIANT(slot < recording->pins.count);
    const struct pin *pin = &recording->pins.items[slot];
    if (slot >= writer->contents.pins.count || pin->cells || pin->thread_cells)
        return true;
    const struct stored_pin *stored = &writer->contents.pins.items[slot];
    return stored->kind != pin->kind || stored->time_ns != pin->time_ns ||
           stored->label != pin->label;
}

/* The peak that a pin would replace, or NULL. */
static struct stored_pin *replaced_pin(struct recording_writer *writer, const struct pin *pin,
                                       size_t slot)
{
    for (size_t i = 0; i < writer->contents.pins.count; i++) {
        struct stored_pin *stored = &writer->contents.pins.items[i];
        if (stored->offset > 0 &&
            (i == slot || (pin_is_peak(pin->kind) && stored->kind == pin->kind)))
            return stored;
    }
    return NULL;
}

/* A program that grows all the time has a new peak all the time.  Once replaced pictures fill a
 * quarter of the file, the next one waits until a tenth of the run has passed, or the end. */
static bool peak_can_wait(const struct recording_writer *writer, const struct recording *recording,
                          const struct stored_pin *replaced)
{
    uint64_t quarter = writer->file.size / 4, now = now_of(recording);
    return !writer->finishing && replaced && pin_is_peak(replaced->kind) &&
           writer->contents.dead_bytes + replaced->length >
               (quarter > PEAK_DEAD_BYTES ? quarter : PEAK_DEAD_BYTES) &&
           now - replaced->written_at_ns < now / 10;
}

static int write_pin(struct recording_writer *writer, struct recording *recording, size_t slot,
                     struct stored_pin *replaced)
{
    struct pin *pin = &recording->pins.items[slot];
    INVARIANT(slot < writer->contents.pins.count);
    struct cell_lists lists = {.cells = pin->cells,
                               .thread_cells = pin->thread_cells,
                               .cell_count = pin->cell_count,
                               .thread_cell_count = pin->thread_cell_count};
    draft_clear(&writer->draft);
    writer->draft.begin_ns = writer->draft.end_ns = pin->time_ns;
    int err = cell_lists_put(&writer->draft, &lists);
    pin->cell_count = lists.cell_count;
    pin->thread_cell_count = lists.thread_cell_count;
    pin_head_put(&writer->draft.section, pin, slot);
    draft_plain_section(&writer->draft, SECTION_PIN);
    uint64_t offset = writer->file.size;
    if (err == 0)
        err = put_draft(writer);
    if (err < 0)
        return err;
    if (replaced) {
        writer->contents.dead_bytes += replaced->length;
        replaced->offset = 0;
    }
    writer->contents.pins.items[slot] = (struct stored_pin){
        pin->kind, pin->time_ns, pin->label, offset, writer->file.size - offset, now_of(recording)};
    cell_lists_free(&lists);
    pin->cells = pin->thread_cells = NULL;
    pin->cell_count = pin->thread_cell_count = 0;
    return 0;
}

/* pins[slot] exists, blank until its pin is written.  Reserves, so that pointers stay valid. */
static int make_slots(struct recording_writer *writer, size_t count)
{
    size_t have = writer->contents.pins.count;
    if (have >= count)
        return 0;
    if (!vec_reserve(&writer->contents.pins, count - have))
        return -ENOMEM;
    memset(writer->contents.pins.items + have, 0, (count - have) * sizeof(struct stored_pin));
    writer->contents.pins.count = count;
    return 0;
}

static int write_pins(struct recording_writer *writer, struct recording *recording)
{
    int err = make_slots(writer, recording->pins.count);
    for (size_t slot = 0; slot < recording->pins.count && err == 0; slot++) {
        if (!pin_is_new(writer, recording, slot))
            continue;
        struct stored_pin *replaced = replaced_pin(writer, &recording->pins.items[slot], slot);
        if (!peak_can_wait(writer, recording, replaced))
            err = write_pin(writer, recording, slot, replaced);
    }
    return err;
}

static bool pins_wait(const struct recording_writer *writer, const struct recording *recording)
{
    for (size_t slot = 0; slot < recording->pins.count; slot++)
        if (pin_is_new(writer, recording, slot))
            return true;
    return false;
}

/* Remembers a bucket that is on disk now, and gives its cells back. */
static void bucket_written(struct recording_writer *writer, struct recording *recording,
                           struct bucket *bucket, uint64_t offset)
{
    INVARIANT(writer->contents.buckets.count < writer->contents.buckets.room);
    struct bucket head = *bucket;
    head.cells = head.thread_cells = NULL;
    head.moments = NULL;
    head.cell_count += head.thread_cell_count + head.moment_count;
    head.thread_cell_count = head.moment_count = 0;
    head.file_offset = offset;
    INVARIANT(offset >= FILE_HEADER_BYTES && offset < writer->file.size);
    writer->contents.buckets.items[writer->contents.buckets.count++] = head; /* has room */
    writer->buckets_done++;
    if (recording->load_bucket) { /* read from another file, to which its offsets belong */
        recording_unload_bucket(recording, bucket);
        return;
    }
    bucket_free_cells(bucket);
    bucket->file_offset = head.cell_count > 0 ? offset : 0;
}

/* Writes one bucket, with whatever tables the draft holds already. */
static int write_bucket(struct recording_writer *writer, struct recording *recording, bool last)
{
    INVARIANT(writer->buckets_done < recording->buckets.count);
    struct bucket *bucket = &recording->buckets.items[writer->buckets_done];
    struct chunk_draft *draft = &writer->draft;
    int err = vec_reserve(&writer->contents.buckets, 1) ? 0 : -ENOMEM;
    if (err == 0)
        err = recording_load_bucket(recording, bucket, NULL);
    struct cell_lists lists = {bucket->cells,      bucket->thread_cells,
                               bucket->cell_count, bucket->thread_cell_count,
                               bucket->moments,    bucket->moment_count};
    if (err == 0)
        err = cell_lists_put(draft, &lists);
    if (err < 0)
        return err;
    bucket->cell_count = lists.cell_count;
    bucket->thread_cell_count = lists.thread_cell_count;
    draft->begin_ns = bucket->begin_ns;
    draft->end_ns = bucket->end_ns;
    bucket_head_put(&draft->section, bucket);
    draft_plain_section(draft, SECTION_BUCKET);
    if (last)
        draft_state(writer, recording);
    uint64_t offset = writer->file.size;
    err = put_draft(writer);
    if (err < 0)
        return err;
    if (draft->flags & CHUNK_TABLES)
        table_cursor_commit(&writer->contents.cursor, recording);
    if (last)
        state_written(writer, recording);
    bucket_written(writer, recording, bucket, offset);
    return 0;
}

/* The state by itself, when no bucket carries it and it says something new. */
static int write_state(struct recording_writer *writer, const struct recording *recording)
{
    struct byte_buffer *section = &writer->draft.section;
    draft_clear(&writer->draft);
    state_put(section, recording);
    if (section->size == writer->state.size && writer->state.size > 0 &&
        memcmp(section->data, writer->state.data, section->size) == 0)
        return 0;
    draft_plain_section(&writer->draft, SECTION_STATE);
    int err = put_draft(writer);
    if (err == 0)
        state_written(writer, recording);
    return err;
}

/* Every step that succeeds is remembered at once, so that this may stop anywhere and begin again.
 */
static int write_new(struct recording_writer *writer, struct recording *recording)
{
    INVARIANT(writer_is_valid(writer, recording));
    size_t new_buckets = recording->buckets.count - writer->buckets_done;
    int err = write_tables(writer, recording, new_buckets > 0 && !pins_wait(writer, recording));
    if (err == 0 && writer->draft.raw.size == 0)
        err = write_pins(writer, recording);
    bool first = true;
    while (err == 0 && writer->buckets_done < recording->buckets.count) {
        if (!first || !(writer->draft.flags & CHUNK_TABLES))
            draft_clear(&writer->draft);
        first = false;
        err = write_bucket(writer, recording, writer->buckets_done + 1 == recording->buckets.count);
    }
    if (err == 0 && new_buckets == 0)
        err = write_state(writer, recording);
    return err;
}

/* Makes room by compacting and tries once more.  Compacting reads and writes everything, so after a
 * failure it waits for more and more appends before it is tried again. */
static int write_with_room(struct recording_writer *writer, struct recording *recording,
                           struct fault *fault)
{
    if (writer->wait_appends > 0 && !writer->finishing) {
        writer->wait_appends--;
        return fault_set(fault, -EFBIG, "the recording '%s' has reached its size cap",
                         writer->path);
    }
    int err = compact_file(writer, recording, fault);
    if (err == 0) {
        err = write_new(writer, recording);
        if (err < 0)
            fault_set(fault, err, "cannot add to '%s': %s", writer->path, strerror(-err));
    }
    writer->failed_compactions = err < 0 ? writer->failed_compactions + 1 : 0;
    unsigned wait = 1u << (writer->failed_compactions < 6 ? writer->failed_compactions : 6);
    writer->wait_appends = err < 0 ? wait : 0;
    return err;
}

static const char cap_note[] = "the file is larger than --max-size: its names, stacks and coarsest "
                               "sums alone need more";

/* While the file is larger than asked for it says so; not when it is no more. */
static void drop_cap_note(struct recording *recording)
{
    size_t kept = 0;
    vec_each (note, &recording->notes)
        if (strcmp(recording_text(recording, *note), cap_note) != 0)
            recording->notes.items[kept++] = *note;
    recording->notes.count = kept;
}

/* Names, stacks and one bucket are the least a recording can be.  Where the cap has no room for
 * that, it gives way: losing what was seen would be worse than a larger file. */
static void raise_cap(struct recording_writer *writer, struct recording *recording)
{
    if (!writer->cap_raised)
        (void)vec_push(&recording->notes, recording_intern(recording, cap_note));
    writer->cap_raised = true;
    writer->max_bytes += writer->max_bytes / 4;
    INVARIANT(writer->max_bytes >= writer->asked_bytes);
    writer->wait_appends = 0;
}

/* The last word on a file whose cap was raised: as small as it can be, if it can be no smaller
 * than asked. */
static void shrink_to_cap(struct recording_writer *writer, struct recording *recording)
{
    INVARIANT(writer->cap_raised && writer->finishing);
    uint64_t const raised = writer->max_bytes;
    writer->needed_bytes = 0;
    writer->max_bytes = writer->asked_bytes;
    drop_cap_note(recording);
    int err = compact_file(writer, recording, NULL);
    if (err < 0)
        (void)vec_push(&recording->notes, recording_intern(recording, cap_note));
    while (err == -EFBIG && (writer->max_bytes += writer->max_bytes / 4) < raised)
        err = compact_file(writer, recording, NULL);
    writer->max_bytes = raised;
}

int recording_writer_append(struct recording_writer *writer, struct recording *recording,
                            struct fault *fault)
{
    writer->needed_bytes = 0;
    int err = write_new(writer, recording);
    if (err == -EFBIG && writer->needed_bytes > 0) {
        err = write_with_room(writer, recording, fault);
        while (err == -EFBIG && writer->max_bytes < UINT64_MAX / 2) {
            raise_cap(writer, recording);
            err = write_with_room(writer, recording, fault);
        }
    } else if (err < 0)
        fault_set(fault, err, "cannot add to '%s': %s", writer->path, strerror(-err));
    INVARIANT(err < 0 || writer->buckets_done == recording->buckets.count);
    if (err == 0 && !writer->finishing)
        compact_in_passing(writer, recording);
    if (err < 0)
        pending_bound(recording, writer->buckets_done);
    return err;
}

/* The state alone, which says from when on everything else is missing. */
static void write_last_words(struct recording_writer *writer, struct recording *recording, int err)
{
    struct quality *quality = &recording->quality;
    growing_file_speak_last(&writer->file);
    quality->complete = false;
    quality->unwritten_error = (uint64_t)-err;
    quality->unwritten_from_ns = 1; /* from the beginning */
    vec_each (bucket, &writer->contents.buckets)
        if (bucket->file_offset < writer->file.size && bucket->end_ns > quality->unwritten_from_ns)
            quality->unwritten_from_ns = bucket->end_ns;
    writer->max_bytes = UINT64_MAX;
    (void)write_state(writer, recording);
}

int recording_writer_claim(const struct recording_writer *writer)
{
    return fcntl(writer->file.fd, F_DUPFD_CLOEXEC, 3);
}

int recording_writer_finish(struct recording_writer *writer, struct recording *recording,
                            struct fault *fault)
{
    INVARIANT(!writer->finishing);
    writer->finishing = true;
    growing_file_be_patient(&writer->file);
    recording->quality.complete = true;
    int err = recording_writer_append(writer, recording, fault);
    if (err == 0 && (err = growing_file_settle(&writer->file)) < 0)
        fault_set(fault, err, "cannot add to '%s': %s", writer->path, strerror(-err));
    int const is_gone = err == 0 ? growing_file_look(&writer->file, writer->path) : 0;
    if (err == 0 && writer->cap_raised)
        shrink_to_cap(writer, recording);
    if (err < 0)
        write_last_words(writer, recording, err);
    else
        tidy_file(writer, recording);
    if (is_gone)
        err = fault_set(fault, is_gone,
                        "'%s' was removed, moved or replaced while it was written: what was "
                        "recorded is not there",
                        writer->path);
    destroy(writer);
    return err;
}
