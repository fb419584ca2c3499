/* text_notes.h - adds notes to a recording about how far a file of lines could be read. */
#pragma once

#include "formats/shared/line_blocks.h"
#include "formats/shared/text_lines.h"
#include "model/recording.h"

struct text_end {
    const char *program; /* program that writes such files */
    const struct text_lines *lines;
    bool is_short; /* the file ends before something that it announced */
};

void text_tell_end(struct recording *recording, const struct line_blocks *blocks,
                   const struct text_end *end);
