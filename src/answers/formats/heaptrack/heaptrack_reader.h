/* heaptrack_reader.h - inside the reader of heaptrack files: what its parts share. */
#pragma once

#include "formats/shared/bucket_series.h"
#include "formats/heaptrack/heaptrack_fields.h"
#include "formats/heaptrack/heaptrack_reader_raw.h"
#include "formats/heaptrack/heaptrack_reader_tables.h"
#include "formats/shared/line_blocks.h"
#include "formats/shared/text_lines.h"
#include "formats/heaptrack/live_pointers.h"

struct heaptrack_reader {
    struct recording *recording;
    struct heap_ledger ledger;
    struct bucket_series series;
    struct heaptrack_tables tables;
    struct heaptrack_raw raw;
    struct live_pointers pointers;

    uint32_t format, written_by;
    bool is_raw, by_pointer; /* events name pointers: raw files, and format 0 */
    bool is_attached, is_made_up;
    uint64_t last; /* info or pointer of the last allocation, if nothing was freed since */

    struct text_lines lines;
};
#define HEAPTRACK_NO_LAST UINT64_MAX

/* Reads complete lines, which must not include the first line of the file; stops if lines.err is
 * set. */
void heaptrack_read_lines(struct heaptrack_reader *reader, struct slice lines);

/* Reads one line that is no event, without its line break. */
void heaptrack_read_line(struct heaptrack_reader *reader, struct slice line);

/* Adds the notes about the file to the recording. */
void heaptrack_tell(struct heaptrack_reader *reader, const struct line_blocks *lines);
