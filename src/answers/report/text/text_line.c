/* SPDX-License-Identifier: Apache-2.0 */
#include "report/text/text_line.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "model/recording.h"
#include "report/text/text_style.h"

void line_add(struct text_line *line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int const length =
        vsnprintf(line->text + line->size, sizeof(line->text) - line->size, format, args);
    va_end(args);
    if (length < 0)
        return;
    line->size += (size_t)length;
    if (line->size >= sizeof(line->text))
        line->size = sizeof(line->text) - 1;
}

void line_add_name(struct text_line *line, const char *name)
{
    if (line->size + 1 >= sizeof(line->text))
        return;
    FILE *into = fmemopen(line->text + line->size, sizeof(line->text) - line->size, "w");
    if (!into)
        return;
    text_write(into, name, sizeof(line->text) / 4 - 1); /* at most 4 bytes a column */
    long const size = ftell(into);
    fclose(into);
    line->text[sizeof(line->text) - 1] = '\0';
    if (size > 0)
        line->size += (size_t)size;
    if (line->size >= sizeof(line->text))
        line->size = sizeof(line->text) - 1;
    line->text[line->size] = '\0';
}

void line_add_counted(struct text_line *line, int64_t count, const char *noun)
{
    char text[HUMAN_MAX];
    line_add(line, "%s %s%s", human_count(count, text), noun, count == 1 ? "" : "s");
}

void line_separate(struct text_line *line, const char *separator)
{
    if (line->size)
        line_add(line, "%s", separator);
}

void line_add_growing(struct text_line *line, const struct recording *recording,
                      uint64_t now_unix_ns)
{
    char ago[HUMAN_MAX];
    if (!recording->being_written)
        return;
    line_add(line, ", still being written");
    if (recording->written_unix_ns && now_unix_ns)
        line_add(line, ", as of %s ago",
                 human_duration(now_unix_ns > recording->written_unix_ns
                                    ? now_unix_ns - recording->written_unix_ns
                                    : 0,
                                ago));
}

bool line_add_until(struct text_line *line, const char *before, const struct recording *recording)
{
    const struct quality *quality = &recording->quality;
    int const error = (int)(quality->unwritten_error & 0xfff);
    char until[HUMAN_MAX];
    if (!quality->unwritten_from_ns)
        return false;
    line_add(line, "%suntil %s, when ", before, human_duration(quality->unwritten_from_ns, until));
    if (error == ENOSPC || error == EDQUOT)
        line_add(line, "the disk was full");
    else
        line_add(line, "the file could no longer be written (%s)", strerror(error));
    return true;
}
