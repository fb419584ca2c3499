/* SPDX-License-Identifier: Apache-2.0 */
/* callgrind_reader_notes.c - what a reader of the numbers should know about a callgrind.out. */
#include "formats/callgrind/callgrind_reader.h"
#include "formats/shared/text_notes.h"

void callgrind_tell(struct callgrind_reader *reader, const struct line_blocks *lines)
{
    struct recording *recording = reader->recording;
    struct text_end const end = {.program = "callgrind", .lines = &reader->lines};
    bool const has_heap =
        reader->slots[SLOT_ALL_BYTES] || reader->slots[SLOT_NOW_BYTES] || reader->slots[SLOT_PEAK];
    recording->source = recording_intern(recording, has_heap ? "callgrind, heap" : SOURCE_COSTS);
    recording->exit_status = -1;
    if (reader->has_calls)
        recording_note(
            recording,
            "a file of callgrind's has calls, but no stacks: a function stands under those that "
            "are on every "
            "way to it; its own cost is exact, with what it calls it may be more than shown");
    else
        recording_note(recording, "the file has no calls: every function stands alone");
    recording_note(recording, "the file has no times: when things happened is not known");
    if (reader->other[0])
        recording_note(recording, "cost is what the file calls %s", reader->other);
    if (reader->unread[0])
        recording_note(recording, "not read are the events %s", reader->unread);
    text_tell_end(recording, lines, &end);
}
