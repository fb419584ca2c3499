/* text_line.h - a sentence put together piece by piece, clean and bounded. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct text_line {
    char text[1024];
    size_t size;
};

/* Appends; what does not fit is left out. */
void line_add(struct text_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for a name out of a recording: control characters become '?'. */
void line_add_name(struct text_line *line, const char *name);

/* "1 block", "14 blocks". */
void line_add_counted(struct text_line *line, int64_t count, const char *noun);

/* ", " unless the line is empty. */
void line_separate(struct text_line *line, const char *separator);
