/* text_line.h - a buffer for one sentence, of limited size and without unsafe characters. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording;

struct text_line {
    char text[1024];
    size_t size;
};

/* Appends text.  If the text does not fit, its end is left out. */
void line_add(struct text_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends a name from a recording, with unsafe characters replaced as text_write does. */
void line_add_name(struct text_line *line, const char *name);

/* Appends "1 block", "14 blocks". */
void line_add_counted(struct text_line *line, int64_t count, const char *noun);

/* Appends ", still being written, as of 0.4 s ago" for a recording that is being written; nothing
 * for others. */
void line_add_growing(struct text_line *line, const struct recording *recording,
                      uint64_t now_unix_ns);

/* Appends `before` and "until 693 ms, when the disk was full" for a recording whose later parts
 * could not be written.  Returns false, and appends nothing, for others. */
bool line_add_until(struct text_line *line, const char *before, const struct recording *recording);

/* Appends `separator` unless the line is empty. */
void line_separate(struct text_line *line, const char *separator);
