/* text_line.h - a sentence put together piece by piece, clean and bounded. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording;

struct text_line {
    char text[1024];
    size_t size;
};

/* Appends; what does not fit is left out. */
void line_add(struct text_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for a name out of a recording, clean as by text_write. */
void line_add_name(struct text_line *line, const char *name);

/* "1 block", "14 blocks". */
void line_add_counted(struct text_line *line, int64_t count, const char *noun);

/* ", still being written, as of 0.4 s ago" for a recording that grows; nothing for others. */
void line_add_growing(struct text_line *line, const struct recording *recording,
                      uint64_t now_unix_ns);

/* "until 693 ms, when the disk was full" after `before`, for a recording of which later parts
 * could not be written; false, and nothing added, for others. */
bool line_add_until(struct text_line *line, const char *before, const struct recording *recording);

/* ", " unless the line is empty. */
void line_separate(struct text_line *line, const char *separator);
