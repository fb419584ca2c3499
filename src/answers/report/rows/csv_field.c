/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rows/csv_field.h"

#include <stdbool.h>
#include <string.h>

void csv_quoted_write(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
}

void csv_field_write(FILE *out, const char *text)
{
    bool const is_quoted = text[strcspn(text, ",\"\r\n")];
    if (is_quoted)
        putc('"', out);
    csv_quoted_write(out, text);
    if (is_quoted)
        putc('"', out);
}
