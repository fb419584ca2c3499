/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

void csv_init(struct csv_out *csv, FILE *file)
{
    *csv = (struct csv_out){.file = file, .separator = ','};
}

static void begin_cell(struct csv_out *csv)
{
    if (csv->has_cells)
        putc(csv->separator, csv->file);
    csv->has_cells = true;
}

void csv_end_row(struct csv_out *csv)
{
    putc('\n', csv->file);
    csv->has_cells = false;
}

void csv_head(struct csv_out *csv, const char *names)
{
    begin_cell(csv);
    fputs(names, csv->file);
    csv_end_row(csv);
}

/* Whether a spreadsheet would compute a cell that begins with this, and not show it: such texts
 * come from strangers.  Also behind blanks, which some leave out, and in full width. */
static bool is_formula(const char *text)
{
    static const char *const signs[] = {"=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"};
    const char *first = text + strspn(text, " \t\r\n\v\f");
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
        if (strncmp(first, signs[i], strlen(signs[i])) == 0)
            return true;
    return false;
}

static bool is_number(const char *text)
{
    char *end;
    if (text[strspn(text, "+-.0123456789eE")])
        return false;
    (void)strtod(text, &end);
    return end != text && !*end;
}

void csv_text(struct csv_out *csv, const char *text)
{
    begin_cell(csv);
    if (!text)
        return;
    bool const is_quoted = text[strcspn(text, ",\"\r\n")];
    if (is_quoted)
        putc('"', csv->file);
    csv->is_begun = is_number(text);
    csv_quoted_add(csv, text);
    if (is_quoted)
        putc('"', csv->file);
}

void csv_int(struct csv_out *csv, int64_t value)
{
    begin_cell(csv);
    fprintf(csv->file, "%" PRId64, value);
}

void csv_uint(struct csv_out *csv, uint64_t value)
{
    begin_cell(csv);
    fprintf(csv->file, "%" PRIu64, value);
}

void csv_int_if(struct csv_out *csv, bool is_known, int64_t value)
{
    if (is_known)
        csv_int(csv, value);
    else
        csv_empty(csv);
}

void csv_real(struct csv_out *csv, double value, int digits)
{
    begin_cell(csv);
    if (!isnan(value))
        fprintf(csv->file, "%.*g", digits, value);
}

void csv_empty(struct csv_out *csv)
{
    begin_cell(csv);
}

void csv_format(struct csv_out *csv, const char *format, ...)
{
    va_list arguments;
    begin_cell(csv);
    va_start(arguments, format);
    vfprintf(csv->file, format, arguments);
    va_end(arguments);
}

void csv_quoted_begin(struct csv_out *csv)
{
    begin_cell(csv);
    putc('"', csv->file);
    csv->is_begun = false;
}

void csv_quoted_add(struct csv_out *csv, const char *piece)
{
    size_t const size = strlen(piece);
    if (size && !csv->is_begun && is_formula(piece))
        putc('\'', csv->file);
    csv->is_begun |= size > 0;
    for (size_t at = 0; at < size;) {
        size_t const length = utf8_length(piece + at, size - at);
        if (piece[at] == '"')
            putc('"', csv->file);
        if (length == 0)
            putc('?', csv->file);
        else if (utf8_steers(piece + at, length))
            putc(' ', csv->file);
        else
            fwrite(piece + at, 1, length, csv->file);
        at += length ? length : 1;
    }
}

void csv_quoted_end(struct csv_out *csv)
{
    putc('"', csv->file);
}
