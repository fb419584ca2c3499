/* text_style.h - text for a person's terminal: colour, width, and names that may be hostile.
 *
 * Names come from recordings, which come from anywhere: characters that steer a terminal or the
 * order of text (utf8_steers) are shown as '?', and what is not UTF-8 as U+FFFD. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct text_style {
    unsigned width; /* columns; 0: do not cut or wrap */
    bool color;
};

enum ink { INK_PLAIN, INK_STRONG, INK_DIM, INK_WARN, INK_BAD };

/* Switches colour; nothing when the style has none. */
void text_ink(const struct text_style *style, FILE *out, enum ink ink);

/* Writes `text` clean, cut to `columns` with a final "…".  The columns it took. */
size_t text_write(FILE *out, const char *text, size_t columns);

/* Columns left on a line of which `used` are taken; plenty when there is no width. */
size_t text_room(const struct text_style *style, size_t used);

/* "  label      text ...", wrapped at spaces under its own beginning.  `text` must be clean. */
void text_paragraph(const struct text_style *style, FILE *out, const char *label, const char *text);
#define TEXT_LABEL_COLUMNS 12
