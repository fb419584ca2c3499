/* SPDX-License-Identifier: Apache-2.0 */
#include "store/recording_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/backing.h"
#include "store/growing_file.h"
#include "store/tables.h"

#define PINS_MAX       65536
#define PADDING_MAX    ((size_t)4 * 1024 * 1024)
#define REPLACED_TRIES 8
#define TAIL_TRIES     5 /* a tail may be torn only because it is being written just now */

struct pin_place {
    struct pin pin;
    uint64_t slot, offset;
};

struct reader {
    struct recording *recording;
    struct backing *backing;
    struct table_builder builder;
    struct chunk_scanner scanner;
    VEC(struct bucket) buckets; /* as they stand in the file */
    VEC(struct pin_place) pins;
    uint64_t bad_chunks; /* whole by their checksum, and still not understood */
};

static int add_bucket(struct reader *reader, struct byte_reader *body,
                      const struct found_chunk *found)
{
    bool has_cells = false;
    struct bucket bucket = bucket_head_take(body, &found->header, &has_cells);
    if (body->failed || bucket.end_ns < bucket.begin_ns)
        return -EINVAL;
    bucket.file_offset = has_cells ? found->offset : 0;
    return vec_push(&reader->buckets, bucket) ? 0 : -ENOMEM;
}

/* A pin takes the place of the one in its slot, a peak that of any peak. */
static int add_pin(struct reader *reader, struct byte_reader *body, const struct found_chunk *found)
{
    struct pin_place place = {.offset = found->offset};
    place.pin = pin_head_take(body, &found->header, &place.slot);
    if (body->failed)
        return -EINVAL;
    for (size_t i = reader->pins.count; i-- > 0;) {
        struct pin_place *seen = &reader->pins.items[i];
        if (seen->slot == place.slot ||
            (seen->pin.kind == place.pin.kind && pin_is_peak(place.pin.kind))) {
            *seen = place;
            return 0;
        }
    }
    if (reader->pins.count >= PINS_MAX)
        return -EINVAL;
    return vec_push(&reader->pins, place) ? 0 : -ENOMEM;
}

static int take_plain(struct reader *reader, const struct found_chunk *found)
{
    struct byte_reader body,
        parts = {.at = found->payload, .end = found->payload + found->header.plain_bytes};
    uint8_t tag;
    int err = 0;
    while (err == 0 && section_next(&parts, &tag, &body)) {
        if (tag == SECTION_STATE)
            state_take(&body, reader->recording);
        else if (tag == SECTION_BUCKET)
            err = add_bucket(reader, &body, found);
        else if (tag == SECTION_PIN)
            err = add_pin(reader, &body, found);
    }
    return err == 0 && parts.failed ? -EINVAL : err;
}

static int take_packed(struct reader *reader, const struct found_chunk *found)
{
    struct byte_reader parts, body;
    uint8_t tag;
    int err = chunk_unpack(reader->backing->packer, &found->header, found->payload, &parts);
    while (err == 0 && section_next(&parts, &tag, &body))
        err = tables_take(&reader->builder, tag, &body);
    return err == 0 && parts.failed ? -EINVAL : err;
}

static int take_chunks(struct reader *reader)
{
    struct found_chunk found;
    while (chunk_scan_next(&reader->scanner, &found)) {
        int err = take_plain(reader, &found);
        if (err == 0 && found.header.flags & CHUNK_TABLES)
            err = take_packed(reader, &found);
        if (err == -ENOMEM)
            return err;
        reader->bad_chunks += err < 0;
    }
    return 0;
}

static int take_all_chunks(struct reader *reader)
{
    for (int try = 0; try < TAIL_TRIES; try++) {
        int err = take_chunks(reader);
        uint64_t size = reader->scanner.source->size;
        if (err < 0 || reader->scanner.torn_bytes == 0 || !source_refresh(reader->scanner.source))
            return err;
        reader->scanner.at = size - reader->scanner.torn_bytes;
        reader->scanner.torn_bytes = 0;
    }
    return take_chunks(reader);
}

static int compare_begin(const void *a, const void *b)
{
    const struct bucket *left = a, *right = b;
    return left->begin_ns < right->begin_ns ? -1 : left->begin_ns > right->begin_ns;
}

/* Adds a bucket behind the others, and an empty one before it where one was lost. */
static int place_bucket(struct reader *reader, const struct bucket *bucket)
{
    struct recording *recording = reader->recording;
    size_t count = recording->buckets.count;
    uint64_t end = count > 0 ? recording->buckets.items[count - 1].end_ns : bucket->begin_ns;
    if (bucket->begin_ns < end) {
        reader->bad_chunks++;
        return 0;
    }
    if (!vec_reserve(&recording->buckets, 2))
        return -ENOMEM;
    if (bucket->begin_ns > end)
        recording->buckets.items[recording->buckets.count++] = (struct bucket){
            .begin_ns = end, .end_ns = bucket->begin_ns, .gauges = {-1, -1, -1, -1}};
    recording->buckets.items[recording->buckets.count++] = *bucket;
    if (recording->duration_ns < bucket->end_ns)
        recording->duration_ns = bucket->end_ns;
    return 0;
}

/* By time, no overlaps, no gaps. */
static int order_buckets(struct reader *reader)
{
    int err = 0;
    if (reader->buckets.count > 1)
        qsort(reader->buckets.items, reader->buckets.count, sizeof(struct bucket), compare_begin);
    for (size_t i = 0; i < reader->buckets.count && err == 0; i++)
        err = place_bucket(reader, &reader->buckets.items[i]);
    return err;
}

static int load_pins(struct reader *reader)
{
    struct recording *recording = reader->recording;
    for (size_t i = 0; i < recording->pins.count; i++) {
        struct pin *pin = &recording->pins.items[i];
        struct cell_pair pair = {0};
        int err = backing_load_cells(recording, reader->pins.items[i].offset, &pair);
        if (err == -ENOMEM)
            return err;
        reader->bad_chunks += err < 0;
        pin->cells = pair.cells;
        pin->cell_count = pair.cell_count;
        pin->thread_cells = pair.thread_cells;
        pin->thread_cell_count = pair.thread_cell_count;
    }
    return 0;
}

static void add_note(struct recording *recording, const char *text)
{
    string_id id = recording_intern(recording, text);
    if (id != STRING_EMPTY && !vec_push(&recording->notes, id))
        return; /* a note less is no reason to refuse the recording */
}

static void tell_quality(struct reader *reader)
{
    struct recording *recording = reader->recording;
    struct quality *quality = &recording->quality;
    uint64_t damaged = reader->scanner.damaged + reader->bad_chunks;
    char text[256];
    recording->being_written =
        !quality->complete && growing_file_is_open(reader->backing->source.fd);
    if (recording->being_written)
        reader->scanner.torn_bytes = 0; /* what is being written just now */
    quality->damaged_chunks += damaged;
    quality->truncated_bytes += reader->scanner.torn_bytes;
    if (damaged > 0) {
        snprintf(text, sizeof(text),
                 "%llu damaged part%s of the file skipped: what stood there is missing",
                 (unsigned long long)damaged, damaged == 1 ? " was" : "s were");
        add_note(recording, text);
    }
    if (reader->scanner.torn_bytes > 0) {
        snprintf(
            text, sizeof(text),
            "the last %llu bytes of the file are incomplete, as after a crash, and were left out",
            (unsigned long long)reader->scanner.torn_bytes);
        add_note(recording, text);
    }
    const struct pin *peak = recording_pin(recording, PIN_PEAK);
    if (!quality->complete && peak && peak->time_ns < recording->heap.peak_time_ns) {
        snprintf(text, sizeof(text),
                 "the stacks of the peak are those at %.3f s; the peak itself was at %.3f s",
                 (double)peak->time_ns / 1e9, (double)recording->heap.peak_time_ns / 1e9);
        add_note(recording, text);
    }
}

/* Numbers of threads that were lost have a row to stand in. */
static int add_unknown_thread(struct reader *reader)
{
    struct recording *recording = reader->recording;
    if (reader->scanner.damaged + reader->bad_chunks + reader->scanner.torn_bytes == 0)
        return 0;
    struct thread unknown = {.name = recording_intern(recording, "unknown"), .merged = 1};
    reader->backing->unknown_thread = (uint32_t)recording->threads.count;
    return vec_push(&recording->threads, unknown) ? 0 : -ENOMEM;
}

static int finish_tables(struct reader *reader)
{
    struct recording *recording = reader->recording;
    if (!vec_reserve(&recording->pins, reader->pins.count))
        return -ENOMEM;
    for (size_t i = 0; i < reader->pins.count; i++)
        recording->pins.items[recording->pins.count++] = reader->pins.items[i].pin;
    int err = tables_finish(&reader->builder);
    return err < 0 ? err : add_unknown_thread(reader);
}

/* Is it ours?  A damaged file header is forgiven when a whole chunk follows it. */
static int check_file_header(struct reader *reader, struct fault *fault)
{
    struct source *source = &reader->backing->source;
    const uint8_t *bytes = source_view(source, 0, FILE_HEADER_BYTES);
    int err = bytes ? file_header_check(bytes) : -EINVAL;
    struct found_chunk found;
    if (err == -ENOTSUP)
        return fault_set(fault, err,
                         "the recording was written by a newer memoir; read it with that version");
    if (err < 0 && !chunk_at(source, FILE_HEADER_BYTES, &found))
        return fault_set(fault, err, "%s",
                         source->size == 0 ? "the file is empty; there is no recording in it"
                                           : "the file is not a memoir recording");
    reader->scanner.damaged += err < 0;
    return 0;
}

static int read_into(struct reader *reader, struct fault *fault)
{
    int err = check_file_header(reader, fault);
    if (err < 0)
        return err;
    err = take_all_chunks(reader);
    if (err == 0)
        err = order_buckets(reader);
    if (err == 0)
        err = finish_tables(reader);
    if (err == 0)
        err = load_pins(reader);
    if (err < 0)
        return fault_set(fault, err, FAULT_NO_MEMORY);
    tell_quality(reader);
    return 0;
}

/* Takes the source in every case. */
static struct recording *read_source(struct source source, struct fault *fault)
{
    struct reader reader = {.builder.padding_left = PADDING_MAX};
    reader.backing = calloc(1, sizeof(*reader.backing));
    reader.recording = recording_create();
    if (!reader.backing || !reader.recording) {
        source_fini(&source);
        free(reader.backing);
        recording_destroy(reader.recording);
        fault_set(fault, -ENOMEM, FAULT_NO_MEMORY);
        return NULL;
    }
    *reader.backing = (struct backing){.source = source, .unknown_thread = NO_THREAD};
    reader.backing->packer = chunk_packer_create();
    reader.recording->backing = reader.backing;
    reader.recording->load_bucket = backing_load_bucket;
    reader.recording->close = backing_close;
    reader.builder.recording = reader.recording;
    reader.scanner =
        (struct chunk_scanner){.source = &reader.backing->source, .at = FILE_HEADER_BYTES};
    int err = reader.backing->packer ? read_into(&reader, fault)
                                     : fault_set(fault, -ENOMEM, FAULT_NO_MEMORY);
    vec_free(&reader.buckets);
    vec_free(&reader.pins);
    vec_free(&reader.builder.links);
    if (err < 0) {
        recording_destroy(reader.recording);
        return NULL;
    }
    return reader.recording;
}

static struct recording *read_file(const char *path, struct stat *status, struct fault *fault)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not make us wait */
    if (fd < 0 || fstat(fd, status) < 0) {
        int code = -errno;
        if (fd >= 0)
            close(fd);
        fault_set(fault, code, "cannot open '%s': %s", path, strerror(-code));
        return NULL;
    }
    if (!S_ISREG(status->st_mode)) {
        close(fd);
        fault_set(fault, -EINVAL, "cannot read '%s' as a recording: it is not a regular file",
                  path);
        return NULL;
    }
    struct fault inner = {0};
    struct source source = {.fd = fd, .size = (uint64_t)status->st_size};
    struct recording *recording = read_source(source, &inner);
    if (!recording)
        fault_at(fault, inner.code, inner.offset, "cannot read '%s': %s", path, inner.text);
    return recording;
}

/* Whether `path` names another file than the one that was opened. */
static bool is_replaced(const char *path, const struct stat *opened)
{
    struct stat now;
    return stat(path, &now) == 0 && (now.st_ino != opened->st_ino || now.st_dev != opened->st_dev);
}

struct recording *recording_read(const char *path, struct fault *fault)
{
    struct stat opened;
    struct recording *recording = read_file(path, &opened, fault);
    /* A file that gave way to a coarser copy of itself meanwhile seems cut off: the copy goes on. */
    for (int i = 0; i < REPLACED_TRIES && recording && !recording->quality.complete &&
                    !recording->being_written && is_replaced(path, &opened);
         i++) {
        recording_destroy(recording);
        recording = read_file(path, &opened, fault);
    }
    return recording;
}

struct recording *recording_read_bytes(const void *data, size_t size, struct fault *fault)
{
    struct source source = {.fd = -1, .size = size};
    put_bytes(&source.window, data, size);
    if (source.window.failed) {
        fault_set(fault, -ENOMEM, FAULT_NO_MEMORY);
        return NULL;
    }
    return read_source(source, fault);
}

bool recording_recognise(const void *head, size_t size)
{
    return size >= FILE_HEADER_BYTES && file_header_check(head) != -EINVAL;
}
