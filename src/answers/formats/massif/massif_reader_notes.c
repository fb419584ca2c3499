/* SPDX-License-Identifier: Apache-2.0 */
/* massif_reader_notes.c - what a reader of the numbers should know about a massif.out. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "formats/massif/massif_reader.h"
#include "formats/shared/text_notes.h"

#define TIMES_TOLD 6

/* Which snapshots have call sites, so that --at can ask for one of them. */
static void tell_details(const struct massif_reader *reader)
{
    size_t detailed = 0, told = 0, size = 0;
    char times[TIMES_TOLD * (HUMAN_MAX + 2) + 1] = "";
    for (size_t i = 0; i < reader->snapshots.count; i++)
        detailed += reader->snapshots.items[i].is_detailed;
    size_t const step = detailed / TIMES_TOLD + 1;
    for (size_t i = 0, seen = 0; i < reader->snapshots.count; i++) {
        const struct massif_snapshot *snapshot = &reader->snapshots.items[i];
        char time[HUMAN_MAX];
        if (!snapshot->is_detailed || seen++ % step != 0 || told == TIMES_TOLD)
            continue;
        human_duration(massif_time_ns(reader, snapshot->time), time);
        size +=
            (size_t)snprintf(times + size, sizeof(times) - size, "%s%s", told++ ? ", " : "", time);
    }
    if (detailed == reader->snapshots.count)
        return;
    recording_note(reader->recording,
                   "massif kept call sites at %zu of %zu snapshots%s%s%s: of the others only the "
                   "sum is known, shown as " UNTOLD_FRAME,
                   detailed, reader->snapshots.count, detailed ? ", such as at " : "", times,
                   detailed > told ? " and more" : "");
}

static void tell_unit(const struct massif_reader *reader)
{
    const char *counts = strcmp(reader->time_unit, "i") == 0   ? "instructions"
                         : strcmp(reader->time_unit, "B") == 0 ? "bytes allocated and freed"
                                                               : NULL;
    if (counts)
        recording_note(reader->recording,
                       "time in this file is counted in %s: 1 s here stands for 1,000,000,000 of "
                       "them",
                       counts);
    else if (strcmp(reader->time_unit, "ms") != 0 && strcmp(reader->time_unit, "s") != 0)
        recording_note(reader->recording,
                       "the file's unit of time is not known: each is taken for 1 ns");
}

static void tell_heap(const struct massif_reader *reader)
{
    struct recording *recording = reader->recording;
    if (massif_is_xtree(reader)) {
        recording_note(recording,
                       "a file of valgrind's xtree tells one instant: the peak and what came "
                       "when are not in it");
        return;
    }
    recording_note(
        recording,
        "massif tells what is live at its snapshots: calls, and what was allocated and freed "
        "between two of them, are not in its files; extra bytes are heap.slack");
    tell_details(reader);
    if (reader->is_pages)
        recording_note(recording, "massif counted pages (--pages-as-heap): heap stands for all "
                                  "memory that was mapped");
    if (reader->has_small)
        recording_note(recording,
                       "call sites and callers below massif's threshold are added up, as "
                       "[places below massif's threshold]");
    if (reader->wrong_sums)
        recording_note(recording,
                       "%" PRIu64 " places of its trees have less than the places under them: the "
                       "file is damaged",
                       reader->wrong_sums);
}

void massif_tell(struct massif_reader *reader, const struct line_blocks *lines)
{
    struct text_end const end = {.program = "massif",
                                 .lines = &reader->lines,
                                 .is_short = reader->is_short || reader->in_snapshot};
    reader->recording->source = recording_intern(
        reader->recording, massif_is_xtree(reader) ? "valgrind xtree" : SOURCE_MASSIF);
    reader->recording->exit_status = -1;
    tell_heap(reader);
    tell_unit(reader);
    text_tell_end(reader->recording, lines, &end);
}
