/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/text_lines.h"

#include "formats/shared/text_fields.h"

void text_lines_read(struct text_lines *lines, struct slice block, text_line_fn *read, void *reader)
{
    struct slice line;
    while (!lines->err && consume_line(&block, &line)) {
        lines->line++;
        text_lines_judge(lines, read(reader, line));
    }
}

int text_command_parse(struct recording *recording, struct slice text)
{
    skip_blanks(&text);
    const char *blank = text.size ? memchr(text.data, ' ', text.size) : NULL;
    struct slice const program = {text.data, blank ? (size_t)(blank - text.data) : text.size};
    return string_table_intern(recording->strings, text, &recording->command_line) < 0 ||
                   string_table_intern(recording->strings, program, &recording->program) < 0
               ? -ENOMEM
               : 0;
}
