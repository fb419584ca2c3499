/* text_notes.h - how far a file of lines could be read, as notes of its recording. */
#pragma once

#include "formats/shared/line_blocks.h"
#include "formats/shared/text_lines.h"
#include "model/recording.h"

struct text_end {
    const char *program; /* that writes such files */
    const struct text_lines *lines;
    bool is_short; /* something that it announced did not come */
};

void text_tell_end(struct recording *recording, const struct line_blocks *blocks,
                   const struct text_end *end);
