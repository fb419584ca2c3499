/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/text_notes.h"

#include <inttypes.h>

void text_tell_end(struct recording *recording, const struct line_blocks *blocks,
                   const struct text_end *end)
{
    const struct text_lines *lines = end->lines;
    const char *why = NULL;
    enum input_end const packed = input_end(blocks->input);
    if (lines->err)
        why = "the file has more names or stacks than any program could have made";
    else if (packed == INPUT_CUT)
        why = "the file ends in the middle of its packed data";
    else if (packed == INPUT_DAMAGED)
        why = "the packed data of the file is damaged";
    else if (packed == INPUT_FAILED)
        why = "the file could not be read to its end";
    else if (blocks->tail_bytes)
        why = "the last line of the file is cut off";
    else if (end->is_short)
        why = "the file is cut off, or lines of it are missing";
    recording->quality.complete = !why;
    recording->quality.truncated_bytes = blocks->tail_bytes;
    recording->quality.damaged_chunks = lines->damaged + blocks->cut;
    if (blocks->gave_tail)
        recording_note(recording, "the last line of the file has no line break: it was read, and "
                                  "may be cut off");
    if (why)
        recording_note(recording, "%s: it was read up to line %" PRIu64, why, lines->line);
    if (lines->damaged)
        recording_note(recording,
                       "%" PRIu64 " line%s that %s does not write, the first of them line %" PRIu64
                       ": skipped",
                       lines->damaged, lines->damaged == 1 ? "" : "s", end->program,
                       lines->first_damaged);
    if (blocks->cut)
        recording_note(recording, "%" PRIu64 " lines longer than 1 MiB were cut", blocks->cut);
}
