/* SPDX-License-Identifier: Apache-2.0 */
#include "report/text/text_style.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

void text_ink(const struct text_style *style, FILE *out, enum ink ink)
{
    static const char *const codes[] = {
        [INK_PLAIN] = "\033[0m", [INK_STRONG] = "\033[1m", [INK_DIM] = "\033[2m",
        [INK_WARN] = "\033[33m", [INK_BAD] = "\033[1;31m",
    };
    if (style->color)
        fputs(codes[ink], out);
}

size_t text_write(FILE *out, const char *text, size_t columns)
{
    size_t const size = strlen(text);
    bool const is_cut = size > columns && utf8_columns(text, size) > columns;
    size_t const limit = is_cut ? columns - (columns > 0) : SIZE_MAX;
    size_t used = 0;

    for (size_t at = 0; at < size && used < limit; used++) {
        size_t const length = utf8_length(text + at, size - at);
        if (length == 0)
            fputs("\xef\xbf\xbd", out);
        else if (utf8_steers(text + at, length))
            putc('?', out);
        else
            fwrite(text + at, 1, length, out);
        at += length ? length : 1;
    }
    if (is_cut && columns > 0) {
        fputs("…", out);
        used++;
    }
    return used;
}

size_t text_room(const struct text_style *style, size_t used)
{
    if (style->width == 0)
        return SIZE_MAX;
    return used < style->width ? style->width - used : 0;
}

/* The next piece of `text` that must stay on one line: a number stays with its unit. */
static size_t piece_size(const char *text)
{
    size_t size = strcspn(text, " ");
    bool const is_number = text[0] >= '0' && text[0] <= '9';
    if (is_number && size && text[size - 1] != ',' && text[size - 1] != ';' && text[size] == ' ')
        size += 1 + strcspn(text + size + 1, " ");
    return size;
}

void text_paragraph(const struct text_style *style, FILE *out, const char *label, const char *text)
{
    size_t const indent = 2 + TEXT_LABEL_COLUMNS;
    size_t column = indent;
    fprintf(out, "  %-*s", TEXT_LABEL_COLUMNS, label);
    while (*text) {
        size_t const size = piece_size(text);
        size_t const columns = utf8_columns(text, size);
        if (column > indent && style->width && column + 1 + columns > style->width) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            putc(' ', out);
            column++;
        }
        fwrite(text, 1, size, out);
        column += columns;
        text += size;
        text += strspn(text, " ");
    }
    putc('\n', out);
}
