/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/heaptrack/heaptrack_reader.h"

#include <inttypes.h>
#include <string.h>

#include "formats/heaptrack/heaptrack_format.h"
#include "formats/shared/read_path.h"
#include "formats/shared/readers.h"

/* Before 1.0 heaptrack wrote its version alone, and meant format 1 with this one. */
#define VERSION_ALONE_FORMAT_1 0x10200

/* "v 10400 3\n", with everything up to the line break. */
static bool parse_version(struct slice line, uint32_t *written_by, uint32_t *format)
{
    struct heaptrack_fields fields = {line.data + 1, line.data + line.size};
    if (line.size < 3 || line.data[0] != HEAPTRACK_VERSION || line.data[1] != ' ' ||
        !heaptrack_parse_number32(&fields, written_by))
        return false;
    *format = *written_by == VERSION_ALONE_FORMAT_1;
    return fields.at == fields.end ||
           (heaptrack_parse_number32(&fields, format) && fields.at == fields.end);
}

static struct slice first_line(struct slice text)
{
    const char *newline = text.size ? memchr(text.data, '\n', text.size) : NULL;
    return (struct slice){text.data, newline ? (size_t)(newline - text.data) : 0};
}

bool heaptrack_recognise(struct slice head)
{
    uint32_t written_by, format;
    return parse_version(first_line(head), &written_by, &format);
}

static int read_version(struct heaptrack_reader *reader, struct slice line, struct fault *fault)
{
    reader->lines.line = 1;
    if (!parse_version(line, &reader->written_by, &reader->format))
        return fault_set(fault, -EINVAL, "the file does not begin like a heaptrack file");
    if (reader->format > HEAPTRACK_FORMAT)
        return fault_set(fault, -ENOTSUP,
                         "it is in format %" PRIu32 " of heaptrack, and this memoir reads up to "
                         "%d: use a newer memoir, or heaptrack_print",
                         reader->format, HEAPTRACK_FORMAT);
    reader->by_pointer = reader->format == 0;
    return 0;
}

/* Off with the first line, which tells how to read the others. */
static int read_first_block(struct heaptrack_reader *reader, struct line_blocks *lines,
                            struct fault *fault)
{
    struct slice block;
    if (!line_blocks_next(lines, &block))
        return fault_set(fault, -EINVAL, "the file has not one complete line");
    struct slice const line = first_line(block);
    int const err = read_version(reader, line, fault);
    if (err < 0)
        return err;
    heaptrack_read_lines(reader,
                         (struct slice){line.data + line.size + 1, block.size - line.size - 1});
    return 0;
}

static int read_all(struct heaptrack_reader *reader, struct line_blocks *lines, struct fault *fault)
{
    struct slice block;
    int err = read_first_block(reader, lines, fault);
    if (err < 0)
        return err;
    while (reader->lines.err == 0 && line_blocks_next(lines, &block))
        heaptrack_read_lines(reader, block);
    if (reader->lines.err == -ENOMEM || lines->failed || bucket_series_finish(&reader->series) < 0)
        return fault_set(fault, -ENOMEM, "there is not enough memory for its stacks");
    heaptrack_tell(reader, lines);
    return 0;
}

static void reader_fini(struct heaptrack_reader *reader)
{
    heaptrack_tables_fini(&reader->tables);
    heaptrack_raw_fini(&reader->raw);
    live_pointers_fini(&reader->pointers);
    heap_ledger_fini(&reader->ledger);
}

/* Takes the input. */
static struct recording *read_input(struct input *input, struct fault *fault)
{
    struct heaptrack_reader reader = {.recording = recording_create(), .last = HEAPTRACK_NO_LAST};
    struct line_blocks lines = {.input = input};
    int err;
    if (!reader.recording || !input) {
        err = fault_set(fault, -ENOMEM, "out of memory");
    } else {
        reader.tables.recording = reader.raw.recording = reader.recording;
        reader.tables.ledger = &reader.ledger;
        reader.series =
            (struct bucket_series){.recording = reader.recording, .ledger = &reader.ledger};
        bucket_series_begin(&reader.series);
        err = read_all(&reader, &lines, fault);
    }
    reader_fini(&reader);
    line_blocks_fini(&lines);
    input_close(input);
    if (err == 0)
        return reader.recording;
    recording_destroy(reader.recording);
    return NULL;
}

struct recording *heaptrack_read(const char *path, struct fault *fault)
{
    return read_path(path, read_input, fault);
}

struct recording *heaptrack_read_bytes(const void *data, size_t size, struct fault *fault)
{
    return read_input(input_open_bytes(data, size), fault);
}
