/* SPDX-License-Identifier: Apache-2.0 */
/* heaptrack_reader_notes.c - what a reader of the numbers should know about a heaptrack file. */
#include <inttypes.h>
#include <stdio.h>

#include "analyze/alerts/findings.h"
#include "formats/heaptrack/heaptrack_format.h"
#include "formats/heaptrack/heaptrack_reader.h"

static void tell_end(struct heaptrack_reader *reader, const struct line_blocks *lines)
{
    struct recording *recording = reader->recording;
    const char *why = NULL;
    enum input_end const end = input_end(lines->input);
    if (reader->lines.err == -E2BIG)
        why = "the file has more names or stacks than any program could have made";
    else if (end == INPUT_CUT)
        why = "the file ends in the middle of its packed data, as when heaptrack was killed or is "
              "still at work";
    else if (end == INPUT_DAMAGED)
        why = "the packed data of the file is damaged";
    else if (end == INPUT_FAILED)
        why = "the file could not be read to its end";
    else if (lines->tail_bytes)
        why = "the last line of the file is cut off";
    recording->quality.complete = !why;
    recording->quality.truncated_bytes = lines->tail_bytes;
    if (why)
        recording_note(recording,
                       "%s: it was read up to line %" PRIu64 ", and what was live there counts as "
                       "leaked",
                       why, reader->lines.line);
}

static void tell_damage(struct heaptrack_reader *reader, const struct line_blocks *lines)
{
    uint64_t const damaged = reader->lines.damaged + lines->cut;
    reader->recording->quality.damaged_chunks = damaged;
    if (reader->lines.damaged)
        recording_note(reader->recording,
                       "%" PRIu64 " damaged line%s skipped, the first of them line %" PRIu64
                       ": what stood there is missing",
                       reader->lines.damaged, reader->lines.damaged == 1 ? " was" : "s were",
                       reader->lines.first_damaged);
    if (lines->cut)
        recording_note(reader->recording, "%" PRIu64 " names longer than 1 MiB were cut",
                       lines->cut);
}

static void tell_stacks(struct heaptrack_reader *reader)
{
    struct recording *recording = reader->recording;
    size_t cut = 0, sites = reader->tables.site_is_cut.count;
    vec_each (is_cut, &reader->tables.site_is_cut)
        cut += *is_cut;
    if (cut)
        recording_note(recording,
                       "%zu of %zu call stacks have %d frames or more, where heaptrack stops: "
                       "their outer callers are missing",
                       cut, sites, HEAPTRACK_FRAMES_MAX);
    struct findings findings;
    if (!reader->is_raw && !reader->is_made_up && findings_make(recording, &findings) == 0 &&
        findings.unnamed)
        recording_note(recording,
                       "frames without a name have their address in the process, because heaptrack "
                       "does not tell where modules were loaded");
}

static void tell_blocks(struct heaptrack_reader *reader)
{
    struct recording *recording = reader->recording;
    const struct quality *quality = &recording->quality;
    if (reader->is_attached)
        recording_note(recording, "recorded by attaching: blocks allocated before are missing");
    if (quality->implied_frees)
        recording_note(recording,
                       "%" PRIu64 " blocks appeared where one was still live: heaptrack had "
                       "missed the free, or logged that of a realloc too late",
                       quality->implied_frees);
    if (reader->is_made_up)
        recording_note(recording, "exported by memoir from sums: totals are those of the "
                                  "recording, sizes of single blocks are averages");
    else
        recording_note(recording,
                       "heaptrack knows no threads, usable sizes or lifetimes; temporary means "
                       "freed before the program allocated or freed anything else");
}

static void name_source(struct heaptrack_reader *reader)
{
    uint32_t const version = reader->written_by;
    char text[64];
    snprintf(text, sizeof(text), "heaptrack %u.%u.%u%s", version >> 16, version >> 8 & 0xff,
             version & 0xff, reader->is_raw ? ", raw" : "");
    reader->recording->source = recording_intern(reader->recording, text);
}

void heaptrack_tell(struct heaptrack_reader *reader, const struct line_blocks *lines)
{
    name_source(reader);
    tell_end(reader, lines);
    tell_damage(reader, lines);
    tell_blocks(reader);
    tell_stacks(reader);
}
