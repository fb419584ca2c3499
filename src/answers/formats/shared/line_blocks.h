/* line_blocks.h - reads a file of lines, many complete lines at a time, in bounded memory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "formats/shared/input.h"

#define LINE_BYTES_MAX ((size_t)1 << 20) /* what is longer is cut there */

struct line_blocks {
    struct input *input; /* borrowed */
    bool wants_tail; /* also return a last line without a line break, if the input is complete */
    char *buffer;
    size_t room, begin, end;
    bool skipping;     /* skipping the rest of a line that was too long */
    bool failed;       /* out of memory */
    uint64_t cut;      /* number of lines that were too long */
    size_t tail_bytes; /* size of a last line without a line break that was left out */
    bool gave_tail;    /* a last line without a line break was returned */
};

/* Returns the next lines, each with its '\n', valid until the next call.  Returns false at the
 * end. */
bool line_blocks_next(struct line_blocks *blocks, struct slice *lines);
void line_blocks_fini(struct line_blocks *blocks);
