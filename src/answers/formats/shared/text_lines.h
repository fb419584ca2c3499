/* text_lines.h - reading a file of lines one by one, past those that make no sense. */
#pragma once

#include <errno.h>
#include <stdint.h>

#include "base/slice.h"
#include "model/recording.h"

/* How far a reader came. */
struct text_lines {
    uint64_t line, damaged, first_damaged;
    int err; /* -ENOMEM, or -E2BIG: nothing more is read */
};

/* Counts a line with -EINVAL as damaged, and remembers what ends the reading; 0 is neither. */
static inline void text_lines_judge(struct text_lines *lines, int err)
{
    if (err == 0)
        return;
    if (err != -EINVAL)
        lines->err = err;
    else if (lines->damaged++ == 0)
        lines->first_damaged = lines->line;
}

/* One line, without its line break.  Returns 0, -EINVAL for what is none, -ENOMEM, -E2BIG. */
typedef int text_line_fn(void *reader, struct slice line);
/* Reads each line of a block, until lines->err is set. */
void text_lines_read(struct text_lines *lines, struct slice block, text_line_fn *read,
                     void *reader);

/* The command line, and its first word as the program.  Returns 0 or -ENOMEM. */
int text_command_parse(struct recording *recording, struct slice text);
