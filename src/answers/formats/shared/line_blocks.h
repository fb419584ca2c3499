/* line_blocks.h - a file of lines, many whole lines at a time, in bounded memory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "formats/shared/input.h"

#define LINE_BYTES_MAX ((size_t)1 << 20) /* what is longer is cut there */

struct line_blocks {
    struct input *input; /* stays the caller's */
    bool wants_tail;     /* a last line without its line break is given, if the input is whole */
    char *buffer;
    size_t room, begin, end;
    bool skipping;     /* the rest of a line that was cut */
    bool failed;       /* out of memory */
    uint64_t cut;      /* lines that were too long */
    size_t tail_bytes; /* at the end of the input: of a line without its line break, left out */
    bool gave_tail;    /* such a line was given */
};

/* The next lines, each with its '\n', until the next call.  False at the end. */
bool line_blocks_next(struct line_blocks *blocks, struct slice *lines);
void line_blocks_fini(struct line_blocks *blocks);
