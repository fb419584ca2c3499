/* text_style.h - text for a terminal: colour, width, and names that may be hostile.
 *
 * Names come from recordings, which may come from anybody.  Characters that control a terminal or
 * change the order of text (utf8_steers) are written as '?', and bytes that are not UTF-8 as
 * U+FFFD. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct text_style {
    unsigned width; /* columns; 0: do not cut or wrap */
    bool color;
};

enum ink { INK_PLAIN, INK_STRONG, INK_DIM, INK_WARN, INK_BAD };

/* Switches to another colour; does nothing if the style has no colour. */
void text_ink(const struct text_style *style, FILE *out, enum ink ink);

/* Writes `text` with unsafe characters replaced, cut to `columns` with "…" at the end.  Returns the
 * number of columns written. */
size_t text_write(FILE *out, const char *text, size_t columns);

/* Returns the columns left on a line with `used` columns; SIZE_MAX if the style has no width. */
size_t text_room(const struct text_style *style, size_t used);

/* Writes "  label  text ...".  The text is wrapped at spaces, and further lines begin below its
 * first word.  `text` must have no unsafe characters. */
void text_paragraph(const struct text_style *style, FILE *out, const char *label, const char *text);
#define TEXT_LABEL_COLUMNS 12
