/* SPDX-License-Identifier: Apache-2.0 */
#include "store/recording_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/backing.h"
#include "store/tables.h"

#define PINS_MAX    65536
#define PADDING_MAX ((size_t)4 * 1024 * 1024)
#define TAIL_TRIES  5 /* a tail may be torn only because it is being written just now */

struct pin_place {
    struct pin pin;
    uint64_t slot, offset;
};

struct reader {
    struct recording *recording;
    struct backing *backing;
    struct table_builder builder;
    struct chunk_scanner scanner;
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
    return vec_push(&reader->recording->buckets, bucket) ? 0 : -ENOMEM;
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
            (seen->pin.kind == PIN_PEAK && place.pin.kind == PIN_PEAK)) {
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

/* By time, no overlaps, and an empty bucket where one was lost. */
static int order_buckets(struct reader *reader)
{
    struct recording *recording = reader->recording;
    __typeof__(recording->buckets) in = recording->buckets, out = {0};
    if (in.count > 1)
        qsort(in.items, in.count, sizeof(in.items[0]), compare_begin);
    bool fits = true;
    vec_each (bucket, &in) {
        uint64_t end = out.count > 0 ? out.items[out.count - 1].end_ns : bucket->begin_ns;
        if (bucket->begin_ns < end) {
            reader->bad_chunks++;
            continue;
        }
        if (bucket->begin_ns > end)
            fits &= vec_push(&out, (struct bucket){.begin_ns = end,
                                                   .end_ns = bucket->begin_ns,
                                                   .gauges = {-1, -1, -1, -1}});
        fits = fits && vec_push(&out, *bucket);
    }
    vec_free(&in);
    recording->buckets = out;
    if (out.count > 0 && recording->duration_ns < out.items[out.count - 1].end_ns)
        recording->duration_ns = out.items[out.count - 1].end_ns;
    return fits ? 0 : -ENOMEM;
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

static int finish_tables(struct reader *reader)
{
    struct recording *recording = reader->recording;
    vec_each (place, &reader->pins)
        if (!vec_push(&recording->pins, place->pin))
            return -ENOMEM;
    int err = tables_finish(&reader->builder);
    bool lost = reader->scanner.damaged + reader->bad_chunks + reader->scanner.torn_bytes > 0;
    if (err == 0 && lost) {
        reader->backing->unknown_thread = (uint32_t)recording->threads.count;
        struct thread unknown = {.name = recording_intern(recording, "unknown")};
        if (!vec_push(&recording->threads, unknown))
            err = -ENOMEM;
    }
    return err;
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
    vec_free(&reader.pins);
    vec_free(&reader.builder.links);
    if (err < 0) {
        recording_destroy(reader.recording);
        return NULL;
    }
    return reader.recording;
}

struct recording *recording_read(const char *path, struct fault *fault)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not make us wait */
    if (fd < 0 || fstat(fd, &status) < 0) {
        int code = -errno;
        if (fd >= 0)
            close(fd);
        fault_set(fault, code, "cannot open '%s': %s", path, strerror(-code));
        return NULL;
    }
    if (!S_ISREG(status.st_mode)) {
        close(fd);
        fault_set(fault, -EINVAL, "cannot read '%s' as a recording: it is not a regular file",
                  path);
        return NULL;
    }
    struct fault inner = {0};
    struct source source = {.fd = fd, .size = (uint64_t)status.st_size};
    struct recording *recording = read_source(source, &inner);
    if (!recording)
        fault_at(fault, inner.code, inner.offset, "cannot read '%s': %s", path, inner.text);
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
