/* SPDX-License-Identifier: Apache-2.0 */
#include "store/read/reader.h"

#include <errno.h>
#include <string.h>

#include "base/invariant.h"
#include "store/write/growing_file.h"
#include "store/read/reconcile.h"

#define PINS_MAX    65536
#define PADDING_MAX ((size_t)4 * 1024 * 1024)
/* Rows of tables in a file of any size, and with each of its bytes. */
#define ROWS_MAX    ((uint64_t)8 << 20)
#define ROWS_A_BYTE 64u
#define TAIL_TRIES  5 /* a tail may be torn only because it is being written just now */

int reader_init(struct reader *reader, struct source source)
{
    *reader = (struct reader){.builder.padding_left = PADDING_MAX, .builder.rows_left = ROWS_MAX};
    reader->backing = calloc(1, sizeof(*reader->backing));
    reader->recording = recording_create();
    struct chunk_packer *packer = chunk_packer_create();
    if (!reader->backing || !reader->recording || !packer) {
        source_fini(&source);
        chunk_packer_destroy(packer);
        free(reader->backing);
        recording_destroy(reader->recording);
        return -ENOMEM;
    }
    *reader->backing =
        (struct backing){.source = source, .packer = packer, .unknown_thread = NO_THREAD};
    reader->recording->backing = reader->backing;
    reader->recording->load_bucket = backing_load_bucket;
    reader->recording->read_columns = backing_read_columns;
    reader->recording->close = backing_close;
    reader->builder.recording = reader->recording;
    reader->scanner =
        (struct chunk_scanner){.source = &reader->backing->source, .at = FILE_HEADER_BYTES};
    return 0;
}

void reader_fini(struct reader *reader)
{
    vec_free(&reader->buckets);
    vec_free(&reader->pins);
}

/* A time that cannot be costs what has it, not what else is in its chunk. */
static int leave_out(struct reader *reader)
{
    reader->bad_chunks++;
    return 0;
}

static int add_bucket(struct reader *reader, struct byte_reader *body,
                      const struct found_chunk *found)
{
    bool has_cells = false;
    struct bucket bucket = bucket_head_parse(body, &found->header, &has_cells);
    if (body->failed || bucket.end_ns < bucket.begin_ns)
        return -EINVAL;
    if (bucket.end_ns > TIME_NS_MAX)
        return leave_out(reader);
    bucket.file_offset = has_cells ? found->offset : 0;
    return vec_push(&reader->buckets, bucket) ? 0 : -ENOMEM;
}

static void replace_pin(struct reader *reader, struct pin_slot *slot, const struct pin_place *place)
{
    if (slot->states < reader->states)
        slot->before = slot->newest;
    slot->newest = *place;
    slot->states = reader->states;
}

/* A pin takes the place of the one in its slot, a peak that of any peak. */
static int add_pin(struct reader *reader, struct byte_reader *body, const struct found_chunk *found)
{
    struct pin_place place = {.offset = found->offset};
    place.pin = pin_head_parse(body, &found->header, &place.slot);
    if (body->failed)
        return -EINVAL;
    if (place.pin.time_ns > TIME_NS_MAX)
        return leave_out(reader);
    reader->pins_changed = reader->has_later_pin = true;
    for (size_t i = reader->pins.count; i-- > 0;) {
        const struct pin_place *seen = &reader->pins.items[i].newest;
        if (seen->slot == place.slot ||
            (seen->pin.kind == place.pin.kind && pin_is_peak(place.pin.kind))) {
            replace_pin(reader, &reader->pins.items[i], &place);
            return 0;
        }
    }
    if (reader->pins.count >= PINS_MAX)
        return -EINVAL;
    struct pin_slot const slot = {.newest = place, .states = reader->states};
    return vec_push(&reader->pins, slot) ? 0 : -ENOMEM;
}

/* A duration that cannot be is replaced by that of the buckets. */
static int add_state(struct reader *reader, struct byte_reader *body)
{
    state_parse(body, reader->recording);
    reader->ends_append = true;
    reader->states++;
    reader->pins_changed |= reader->has_later_pin; /* they count from now on */
    if (reader->recording->duration_ns <= TIME_NS_MAX)
        return 0;
    reader->recording->duration_ns = 0;
    return leave_out(reader);
}

static int parse_plain(struct reader *reader, const struct found_chunk *found)
{
    struct byte_reader body,
        parts = {.at = found->payload, .end = found->payload + found->header.plain_bytes};
    uint8_t tag;
    int err = 0;
    reader->ends_append = false;
    while (err == 0 && section_next(&parts, &tag, &body)) {
        if (tag == SECTION_STATE)
            err = add_state(reader, &body);
        else if (tag == SECTION_BUCKET)
            err = add_bucket(reader, &body, found);
        else if (tag == SECTION_PIN)
            err = add_pin(reader, &body, found);
    }
    if (reader->ends_append) {
        reader->told = reader->buckets.count;
        reader->has_later_pin = false;
    }
    return err == 0 && parts.failed ? -EINVAL : err;
}

static int parse_packed(struct reader *reader, const struct found_chunk *found)
{
    struct byte_reader parts, body;
    uint8_t tag;
    reader->builder.rows_left += ROWS_A_BYTE * (uint64_t)found->header.stored_bytes;
    int err = chunk_unpack(reader->backing->packer, &found->header, found->payload, &parts);
    while (err == 0 && section_next(&parts, &tag, &body))
        err = tables_parse(&reader->builder, tag, &body);
    return err == 0 && parts.failed ? -EINVAL : err;
}

static int read_chunks(struct reader *reader)
{
    struct found_chunk found;
    while (chunk_scan_next(&reader->scanner, &found)) {
        int err = parse_plain(reader, &found);
        if (err == 0 && found.header.flags & CHUNK_TABLES)
            err = parse_packed(reader, &found);
        if (err == -ENOMEM)
            return err;
        reader->bad_chunks += err < 0;
    }
    return 0;
}

bool reader_look_again(struct reader *reader)
{
    struct chunk_scanner *scanner = &reader->scanner;
    uint64_t const end = scanner->source->size - scanner->torn_bytes; /* of what was whole */
    INVARIANT(scanner->torn_bytes <= scanner->source->size);
    if (!source_refresh(scanner->source))
        return false;
    scanner->at = end;
    scanner->torn_bytes = 0;
    return true;
}

void reader_look_for_writer(struct reader *reader)
{
    reader->recording->being_written =
        !reader->recording->quality.complete && growing_file_is_open(reader->backing->source.fd);
}

int reader_read(struct reader *reader)
{
    int err = read_chunks(reader);
    for (int try = 0; try < TAIL_TRIES && err == 0 && reader->scanner.torn_bytes > 0 &&
                      reader_look_again(reader);
         try++)
        err = read_chunks(reader);
    reader_look_for_writer(reader);
    return err;
}

uint64_t reader_torn_bytes(const struct reader *reader)
{
    return reader->recording->being_written ? 0 : reader->scanner.torn_bytes;
}

uint64_t reader_damage(const struct reader *reader)
{
    return reader->scanner.damaged + reader->bad_chunks;
}

static int compare_begin(const void *a, const void *b)
{
    const struct bucket *left = a, *right = b;
    return left->begin_ns < right->begin_ns ? -1 : left->begin_ns > right->begin_ns;
}

/* Adds a bucket behind the others, and an empty one before it where one was lost. */
static int place_bucket(struct reader *reader, const struct bucket *bucket)
{
    INVARIANT(bucket->begin_ns <= bucket->end_ns && bucket->end_ns <= TIME_NS_MAX);
    struct recording *recording = reader->recording;
    size_t count = recording->buckets.count;
    uint64_t end = count > 0 ? recording->buckets.items[count - 1].end_ns : bucket->begin_ns;
    if (bucket->begin_ns < end) {
        reader->bad_chunks++;
        return 0;
    }
    if (!vec_reserve(&recording->buckets, 2))
        return -ENOMEM;
    if (bucket->begin_ns > end) {
        reader->bad_chunks += reader_damage(reader) == 0; /* taken out, and not only damaged */
        recording->buckets.items[recording->buckets.count++] = (struct bucket){
            .begin_ns = end, .end_ns = bucket->begin_ns, .gauges = {-1, -1, -1, -1}};
    }
    recording->buckets.items[recording->buckets.count++] = *bucket;
    if (recording->duration_ns < bucket->end_ns) {
        reader->untold |= recording->duration_ns > 0; /* a state from before the bucket */
        recording->duration_ns = bucket->end_ns;
    }
    return 0;
}

static bool buckets_are_joined(const struct recording *recording)
{
    bool joined = true;
    for (size_t i = 1; i < recording->buckets.count && joined; i++)
        joined = recording->buckets.items[i - 1].end_ns == recording->buckets.items[i].begin_ns;
    return joined;
}

/* By time, no overlaps, no gaps, behind those that are placed already. */
static int order_buckets(struct reader *reader)
{
    struct bucket *items = reader->buckets.items;
    size_t const count = reader->recording->being_written ? reader->told : reader->buckets.count;
    INVARIANT(reader->told <= reader->buckets.count);
    int err = 0;
    if (count > 1)
        qsort(items, count, sizeof(struct bucket), compare_begin);
    for (size_t i = 0; i < count && err == 0; i++)
        err = place_bucket(reader, &items[i]);
    reader->untold |= count > reader->told;
    reader->buckets.count -= count;
    reader->told = 0;
    INVARIANT(buckets_are_joined(reader->recording));
    if (reader->buckets.count > 0)
        memmove(items, items + count, reader->buckets.count * sizeof(items[0]));
    return err;
}

/* Whether the state tells of just what was placed. */
static bool is_told(const struct reader *reader)
{
    return reader->states > 0 && !reader->untold && !reader->has_later_pin &&
           reader->recording->quality.unwritten_from_ns == 0 && reader_damage(reader) == 0;
}

/* Numbers of threads that were lost have a row to stand in. */
static int add_unknown_thread(struct reader *reader)
{
    struct recording *recording = reader->recording;
    if (reader_damage(reader) + reader_torn_bytes(reader) == 0 ||
        reader->backing->unknown_thread != NO_THREAD)
        return 0;
    struct thread unknown = {.name = recording_intern(recording, "unknown"), .merged = 1};
    reader->backing->unknown_thread = (uint32_t)recording->threads.count;
    return vec_push(&recording->threads, unknown) ? 0 : -ENOMEM;
}

static void drop_pins(struct recording *recording)
{
    vec_each (pin, &recording->pins) {
        free(pin->cells);
        free(pin->thread_cells);
    }
    recording->pins.count = 0;
}

/* The pin of a slot that is of what the buckets and the state tell; NULL when there is none. */
static const struct pin_place *pin_that_counts(const struct reader *reader,
                                               const struct pin_slot *slot)
{
    const struct recording *recording = reader->recording;
    size_t const count = recording->buckets.count;
    uint64_t const end_ns = count > 0 ? recording->buckets.items[count - 1].end_ns : 0;
    if (slot->states < reader->states || slot->newest.pin.time_ns <= end_ns)
        return &slot->newest;
    return slot->before.offset > 0 ? &slot->before : NULL;
}

/* The pins that were not replaced, without their cells. */
static int list_pins(struct reader *reader)
{
    struct recording *recording = reader->recording;
    reader->pins_changed |= reader->has_later_pin; /* more buckets may be there by now */
    if (!reader->pins_changed)
        return 0;
    drop_pins(recording);
    if (!vec_reserve(&recording->pins, reader->pins.count))
        return -ENOMEM;
    vec_each (slot, &reader->pins) {
        const struct pin_place *place = pin_that_counts(reader, slot);
        if (place)
            recording->pins.items[recording->pins.count++] = place->pin;
    }
    return 0;
}

static int load_pins(struct reader *reader)
{
    struct recording *recording = reader->recording;
    size_t listed = 0;
    for (size_t i = 0; i < reader->pins.count && reader->pins_changed; i++) {
        const struct pin_place *place = pin_that_counts(reader, &reader->pins.items[i]);
        if (!place)
            continue;
        INVARIANT(listed < recording->pins.count);
        struct pin *pin = &recording->pins.items[listed++];
        struct cell_lists lists = {0};
        int err = backing_load_cells(recording, place->offset, &lists);
        if (err == -ENOMEM)
            return err;
        reader->bad_chunks += err < 0;
        pin->cells = lists.cells;
        pin->cell_count = lists.cell_count;
        pin->thread_cells = lists.thread_cells;
        pin->thread_cell_count = lists.thread_cell_count;
    }
    reader->pins_changed = false;
    return 0;
}

int reader_place(struct reader *reader)
{
    int err = order_buckets(reader);
    if (err == 0)
        err = list_pins(reader);
    if (err == 0)
        err = tables_finish(&reader->builder);
    if (err == 0)
        err = add_unknown_thread(reader);
    if (err == 0)
        err = load_pins(reader);
    if (err < 0 || reader->recording->being_written)
        return err;
    if (!reader->recording->quality.complete)
        recording_end_with_buckets(reader->recording);
    return is_told(reader) ? 0 : recording_reconcile(reader->recording);
}

int reader_check_header(struct reader *reader, struct fault *fault)
{
    struct source *source = &reader->backing->source;
    const uint8_t *bytes = source_view(source, 0, FILE_HEADER_BYTES);
    int err = bytes ? file_header_check(bytes) : -EINVAL;
    struct found_chunk found;
    if (err == -ENOTSUP)
        return fault_set(fault, err,
                         "the recording was written by a newer memoir; read it with that version");
    if (err < 0 && source->size == 0)
        return fault_set(fault, err, "%s",
                         growing_file_is_open(source->fd)
                             ? "its recording has just begun; try again in a second"
                             : "the file is empty; there is no recording in it");
    if (err < 0 && !chunk_at(source, FILE_HEADER_BYTES, &found))
        return fault_set(fault, err, "the file is not a memoir recording");
    reader->scanner.damaged += err < 0;
    return 0;
}
