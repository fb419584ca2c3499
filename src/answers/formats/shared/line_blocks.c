/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/line_blocks.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM ((size_t)128 << 10)

/* Makes room behind what is left of the last block, and fills it.  False when nothing came. */
static bool fill(struct line_blocks *blocks)
{
    size_t left = blocks->end - blocks->begin;
    if (left > 0 && blocks->begin > 0)
        memmove(blocks->buffer, blocks->buffer + blocks->begin, left);
    blocks->begin = 0;
    blocks->end = left;
    if (left == blocks->room) {
        size_t room = blocks->room ? 2 * blocks->room : FIRST_ROOM;
        char *grown = realloc(blocks->buffer, room);
        if (!grown) {
            blocks->failed = true;
            return false;
        }
        blocks->buffer = grown;
        blocks->room = room;
    }
    size_t got = input_read(blocks->input, blocks->buffer + left, blocks->room - left);
    blocks->end += got;
    return got > 0;
}

/* Drops what belongs to a line that was cut.  False while its end is not there yet. */
static bool skip_rest(struct line_blocks *blocks)
{
    char *from = blocks->buffer + blocks->begin;
    char *newline = memchr(from, '\n', blocks->end - blocks->begin);
    blocks->begin = newline ? (size_t)(newline + 1 - blocks->buffer) : blocks->end;
    blocks->skipping = newline == NULL;
    return newline != NULL;
}

static bool give(struct line_blocks *blocks, size_t size, struct slice *lines)
{
    *lines = (struct slice){blocks->buffer + blocks->begin, size};
    blocks->begin += size;
    return true;
}

/* What is behind the last line break.  There is room for one more byte: fill() makes it before
 * it finds nothing. */
static bool end_of_input(struct line_blocks *blocks, struct slice *lines)
{
    size_t const left = blocks->skipping || blocks->failed ? 0 : blocks->end - blocks->begin;
    if (left == 0 || !blocks->wants_tail || input_end(blocks->input) != INPUT_WHOLE) {
        blocks->tail_bytes = left;
        return false;
    }
    blocks->gave_tail = true;
    blocks->buffer[blocks->end++] = '\n';
    return give(blocks, left + 1, lines);
}

bool line_blocks_next(struct line_blocks *blocks, struct slice *lines)
{
    for (;;) {
        if (!fill(blocks))
            return end_of_input(blocks, lines);
        if (blocks->skipping && !skip_rest(blocks))
            continue;
        char *from = blocks->buffer + blocks->begin;
        char *last = memrchr(from, '\n', blocks->end - blocks->begin);
        if (last)
            return give(blocks, (size_t)(last + 1 - from), lines);
        if (blocks->end - blocks->begin >= LINE_BYTES_MAX) {
            blocks->cut++;
            blocks->skipping = true;
            blocks->buffer[blocks->end - 1] = '\n';
            return give(blocks, blocks->end - blocks->begin, lines);
        }
    }
}

void line_blocks_fini(struct line_blocks *blocks)
{
    free(blocks->buffer);
}
