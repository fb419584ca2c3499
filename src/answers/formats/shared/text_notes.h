/* text_notes.h - how far a file of lines could be read, as notes of its recording. */
#pragma once

#include "formats/shared/line_blocks.h"
#include "model/recording.h"

struct text_end {
    const char *program; /* that writes such files */
    uint64_t line, damaged, first_damaged;
    bool is_short;     /* something that it announced did not come */
    bool is_too_large; /* it has more than anybody could have made */
};

void text_tell_end(struct recording *recording, const struct line_blocks *lines,
                   const struct text_end *end);
