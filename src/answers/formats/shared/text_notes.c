/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/text_notes.h"

#include <inttypes.h>

void text_tell_end(struct recording *recording, const struct line_blocks *lines,
                   const struct text_end *end)
{
    const char *why = NULL;
    enum input_end const packed = input_end(lines->input);
    if (end->is_too_large)
        why = "the file has more names or stacks than any program could have made";
    else if (packed == INPUT_CUT)
        why = "the file ends in the middle of its packed data";
    else if (packed == INPUT_DAMAGED)
        why = "the packed data of the file is damaged";
    else if (packed == INPUT_FAILED)
        why = "the file could not be read to its end";
    else if (lines->tail_bytes)
        why = "the last line of the file is cut off";
    else if (end->is_short)
        why = "the file is cut off, or lines of it are missing";
    recording->quality.complete = !why;
    recording->quality.truncated_bytes = lines->tail_bytes;
    recording->quality.damaged_chunks = end->damaged + lines->cut;
    if (lines->gave_tail)
        recording_note(recording, "the last line of the file has no line break: it was read, and "
                                  "may be cut off");
    if (why)
        recording_note(recording, "%s: it was read up to line %" PRIu64, why, end->line);
    if (end->damaged)
        recording_note(recording,
                       "%" PRIu64 " line%s that %s does not write, the first of them line %" PRIu64
                       ": skipped",
                       end->damaged, end->damaged == 1 ? "" : "s", end->program,
                       end->first_damaged);
    if (lines->cut)
        recording_note(recording, "%" PRIu64 " lines longer than 1 MiB were cut", lines->cut);
}
