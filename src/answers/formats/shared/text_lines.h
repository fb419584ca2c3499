/* text_lines.h - reads a file line by line, and skips lines that are damaged. */
#pragma once

#include <errno.h>
#include <stdint.h>

#include "base/slice.h"
#include "model/recording.h"

/* How far a reader has read. */
struct text_lines {
    uint64_t line, damaged, first_damaged;
    int err; /* -ENOMEM or -E2BIG: reading has ended */
};

/* Records the result of a line: -EINVAL counts the line as damaged, 0 changes nothing, and any
 * other error ends the reading. */
static inline void text_lines_judge(struct text_lines *lines, int err)
{
    if (err == 0)
        return;
    if (err != -EINVAL)
        lines->err = err;
    else if (lines->damaged++ == 0)
        lines->first_damaged = lines->line;
}

/* Callback for one line, without its line break.  Returns 0, -EINVAL for a damaged line, -ENOMEM,
 * or -E2BIG. */
typedef int text_line_fn(void *reader, struct slice line);
/* Reads each line of a block, until lines->err is set. */
void text_lines_read(struct text_lines *lines, struct slice block, text_line_fn *read,
                     void *reader);

/* Sets the command line of the recording, and its first word as the program.  Returns 0 or
 * -ENOMEM. */
int text_command_parse(struct recording *recording, struct slice text);
