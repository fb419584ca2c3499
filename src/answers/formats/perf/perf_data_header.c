/* SPDX-License-Identifier: Apache-2.0 */
/* perf_data_header.c - reads the sections of a perf.data before and after its records. */
#include <errno.h>
#include <stdlib.h>

#include "formats/perf/perf_data_reader.h"

#define ATTRS_MAX ((size_t)4 << 20)
#define IDS_MAX   ((size_t)8 << 20)

/* Bytes of the file, the caller frees them.  NULL when they are not all there, or more than
 * `most`. */
static uint8_t *read_part(const struct perf_reader *reader, uint64_t offset, uint64_t size,
                          size_t most)
{
    if (size == 0 || size > most || offset > reader->bytes.size ||
        size > reader->bytes.size - offset)
        return NULL;
    uint8_t *part = malloc((size_t)size);
    if (part && perf_bytes_read(&reader->bytes, offset, part, (size_t)size) == size)
        return part;
    free(part);
    return NULL;
}

static int add_event(struct perf_reader *reader, const uint8_t *entry, size_t size)
{
    uint64_t const ids_size = perf_word(entry + size - 8);
    uint8_t *ids = read_part(reader, perf_word(entry + size - 16), ids_size, IDS_MAX);
    int const err = perf_events_add(&reader->events, (struct slice){(const char *)entry, size - 16},
                                    (struct slice){(const char *)ids, ids ? (size_t)ids_size : 0});
    free(ids);
    return err;
}

static int read_events(struct perf_reader *reader, const uint8_t *header, struct fault *fault)
{
    uint64_t const entry = perf_word(header + 16), size = perf_word(header + 32);
    uint8_t *attrs = read_part(reader, perf_word(header + 24), size, ATTRS_MAX);
    int err = attrs && entry >= PERF_ATTR_SIZE_VER0 + 16 && entry <= size ? 0 : -EINVAL;
    for (uint64_t at = 0; err == 0 && at + entry <= size; at += entry)
        err = add_event(reader, attrs + at, (size_t)entry);
    free(attrs);
    if (err == -ENOMEM)
        return fault_set(fault, err, "there is not enough memory for its events");
    if (err < 0)
        return fault_set(fault, -EINVAL, "the description of the events makes no sense");
    return 0;
}

/* A list of places follows the data, one per feature that is there, in their order. */
static int read_features(struct perf_reader *reader)
{
    uint64_t at = reader->data_offset + reader->data_size;
    int err = 0;
    if (reader->is_unfinished)
        return 0;
    for (unsigned feature = 0; feature < 64 * PERF_FEATURE_WORDS && err == 0; feature++) {
        uint8_t place[16];
        if (!(reader->features[feature / 64] >> feature % 64 & 1))
            continue;
        if (perf_bytes_read(&reader->bytes, at, place, sizeof(place)) != sizeof(place)) {
            reader->facts.damaged++;
            return 0;
        }
        uint64_t const size = perf_word(place + 8);
        uint8_t *body = read_part(reader, perf_word(place), size, PERF_FEATURE_BYTES_MAX);
        if (body)
            err = perf_facts_parse(&reader->facts, &reader->events, feature,
                                   (struct slice){(const char *)body, (size_t)size});
        else
            reader->facts.damaged += size > 0;
        free(body);
        at += sizeof(place);
    }
    return err;
}

int perf_reader_open(struct perf_reader *reader, struct fault *fault)
{
    uint8_t header[PERF_FILE_HEADER_BYTES];
    size_t const got = perf_bytes_read(&reader->bytes, 0, header, sizeof(header));
    if (got >= PERF_FILE_MAGIC_BYTES && memcmp(header, PERF_FILE_MAGIC_OTHER, 8) == 0)
        return fault_set(fault, -ENOTSUP,
                         "the file was made on a machine with the other byte order: open it there");
    if (got >= PERF_FILE_MAGIC_BYTES && memcmp(header, PERF_FILE_MAGIC_OLD, 8) == 0)
        return fault_set(
            fault, -ENOTSUP,
            "the file is in perf's first format, from before 2012: use a perf of that time");
    if (got < PERF_PIPE_HEADER_BYTES || memcmp(header, PERF_FILE_MAGIC, 8) != 0)
        return fault_set(fault, -EINVAL, "the file does not begin like a perf.data");
    if (perf_word(header + 8) == PERF_PIPE_HEADER_BYTES) {
        reader->is_pipe = true;
        reader->data_offset = PERF_PIPE_HEADER_BYTES;
        reader->data_size = reader->bytes.size - PERF_PIPE_HEADER_BYTES;
        return 0;
    }
    if (got < PERF_FILE_HEADER_BYTES || perf_word(header + 8) < PERF_FILE_HEADER_BYTES)
        return fault_set(fault, -EINVAL, "it ends within its header");
    reader->data_offset = perf_word(header + 40);
    reader->data_size = perf_word(header + 48);
    memcpy(reader->features, header + 72, sizeof(reader->features));
    if (reader->data_offset > reader->bytes.size)
        return fault_set(fault, -EINVAL,
                         "the header says that the data begins after the end of the file");
    reader->is_unfinished = reader->data_size == 0;
    if (reader->data_size > reader->bytes.size - reader->data_offset || reader->is_unfinished) {
        reader->data_size = reader->bytes.size - reader->data_offset;
        reader->is_unfinished = true;
    }
    int const err = read_events(reader, header, fault);
    if (err < 0)
        return err;
    return read_features(reader) < 0
               ? fault_set(fault, -ENOMEM, "there is not enough memory for its features")
               : 0;
}
