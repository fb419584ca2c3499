/* SPDX-License-Identifier: Apache-2.0 */
#include "report/pictures/svg_out.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT 0xfffdu
#define FORMAT_MAX  512

void svg_out_fini(struct svg_out *out)
{
    free(out->data);
    memset(out, 0, sizeof(*out));
}

void svg_bytes(struct svg_out *out, const char *data, size_t size)
{
    if (out->failed || size == 0)
        return;
    if (size > out->room - out->size) {
        size_t wanted = out->room ? out->room : 4096;
        while (wanted - out->size < size)
            wanted *= 2;
        char *grown = realloc(out->data, wanted);
        if (!grown) {
            out->failed = true;
            return;
        }
        out->data = grown;
        out->room = wanted;
    }
    memcpy(out->data + out->size, data, size);
    out->size += size;
}

void svg_raw(struct svg_out *out, const char *text)
{
    svg_bytes(out, text, strlen(text));
}

void svg_format(struct svg_out *out, const char *format, ...)
{
    char text[FORMAT_MAX];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= sizeof(text))
        out->failed = true; /* our own markup is short; half an element would be worse than none */
    else
        svg_bytes(out, text, (size_t)size);
}

void svg_int(struct svg_out *out, int64_t value)
{
    char text[24];
    size_t at = sizeof(text);
    uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do {
        text[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left);
    if (value < 0)
        text[--at] = '-';
    svg_bytes(out, text + at, sizeof(text) - at);
}

/* XML cannot hold most control characters, and direction overrides would let a name rewrite the
 * text around it on the screen. */
static bool is_showable(uint32_t c)
{
    if (c < 0x20 || (c >= 0x7f && c < 0xa0))
        return false;
    if ((c >= 0xd800 && c < 0xe000) || (c & 0xfffe) == 0xfffe || c > 0x10ffff)
        return false;
    bool is_direction = c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
                        (c >= 0x2066 && c <= 0x2069);
    return !is_direction && c != 0x2028 && c != 0x2029 && c != 0xfeff;
}

uint32_t text_next(const char **text)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)*text;
    if (!*at)
        return 0;
    unsigned length = at[0] < 0x80 ? 1 : at[0] < 0xc0 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (length == 0 || at[0] > 0xf4) {
        *text += 1;
        return REPLACEMENT;
    }
    uint32_t c = length == 1 ? at[0] : at[0] & (0x7fu >> length);
    for (unsigned i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) { /* also ends at the NUL */
            *text += i;
            return REPLACEMENT;
        }
        c = c << 6 | (at[i] & 0x3f);
    }
    *text += length;
    return c >= smallest[length] && is_showable(c) ? c : REPLACEMENT;
}

static void put_utf8(struct svg_out *out, uint32_t c)
{
    char bytes[4];
    size_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = size; i-- > 1; c >>= 6)
        bytes[i] = (char)(0x80 | (c & 0x3f));
    bytes[0] = (char)(lead[size] | c);
    svg_bytes(out, bytes, size);
}

static void put_xml(struct svg_out *out, uint32_t c)
{
    switch (c) {
    case '<':
        svg_raw(out, "&lt;");
        break;
    case '>':
        svg_raw(out, "&gt;");
        break;
    case '&':
        svg_raw(out, "&amp;");
        break;
    case '"':
        svg_raw(out, "&quot;");
        break;
    case '\'':
        svg_raw(out, "&#39;");
        break;
    default:
        put_utf8(out, c);
    }
}

void svg_text(struct svg_out *out, const char *text)
{
    for (uint32_t c; (c = text_next(&text)) != 0;)
        put_xml(out, c);
}

static size_t cells_of(uint32_t c)
{
    bool is_wide = (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) ||
                   (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
                   (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) || c >= 0x1f300;
    return is_wide ? 2 : 1;
}

size_t text_cells(const char *text)
{
    size_t cells = 0;
    for (uint32_t c; (c = text_next(&text)) != 0;)
        cells += cells_of(c);
    return cells;
}

void svg_text_cut(struct svg_out *out, const char *text, size_t cells)
{
    if (text_cells(text) <= cells) {
        svg_text(out, text);
        return;
    }
    size_t used = 1; /* the mark */
    for (uint32_t c; (c = text_next(&text)) != 0;) {
        used += cells_of(c);
        if (used > cells)
            break;
        put_xml(out, c);
    }
    if (cells > 0)
        svg_raw(out, "…");
}

void svg_json(struct svg_out *out, const char *text)
{
    svg_raw(out, "\"");
    for (uint32_t c; (c = text_next(&text)) != 0;) {
        /* < > & would be markup in the XML around us, ]]> is made of > too. */
        if (c == '"' || c == '\\' || c == '<' || c == '>' || c == '&')
            svg_format(out, "\\u%04x", c);
        else
            put_utf8(out, c);
    }
    svg_raw(out, "\"");
}

void svg_px(struct svg_out *out, double value, unsigned decimals)
{
    static const int64_t scales[] = {1, 10, 100, 1000};
    int64_t scale = scales[decimals > 3 ? 3 : decimals];
    int64_t scaled = isfinite(value) ? llround(value * (double)scale) : 0;
    if (scaled < 0)
        svg_raw(out, "-");
    scaled = scaled < 0 ? -scaled : scaled;
    svg_format(out, "%lld", (long long)(scaled / scale));
    int64_t rest = scaled % scale;
    if (rest)
        svg_raw(out, ".");
    for (int64_t digit = scale / 10; rest; digit /= 10) {
        svg_format(out, "%lld", (long long)(rest / digit));
        rest %= digit;
    }
}

void svg_begin(struct svg_out *out, const struct svg_head *head)
{
    svg_raw(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
                 "aria-labelledby=\"title desc\" ");
    svg_format(out, "width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\">\n", head->width,
               head->height, head->width, head->height);
    svg_raw(out, "<title id=\"title\">");
    svg_text(out, head->title);
    svg_format(out, "</title>\n<desc id=\"desc\">%s. ", head->kind);
    svg_text(out, head->description);
    svg_raw(out, "</desc>\n<style>\n");
}

void svg_point(struct svg_out *out, double x, double y)
{
    svg_px(out, x, 1);
    svg_raw(out, " ");
    svg_px(out, y, 1);
}

void svg_attribute(struct svg_out *out, const char *name, double value)
{
    svg_format(out, " %s=\"", name);
    svg_px(out, value, 1);
    svg_raw(out, "\"");
}

void svg_label_cut(struct svg_out *out, const char *class, const double place[2], const char *text,
                   size_t cells)
{
    svg_format(out, "<text class=\"%s\"", class);
    svg_attribute(out, "x", place[0]);
    svg_attribute(out, "y", place[1]);
    svg_raw(out, ">");
    svg_text_cut(out, text, cells);
    svg_raw(out, "</text>\n");
}

void svg_label(struct svg_out *out, const char *class, double x, double y, const char *text)
{
    svg_label_cut(out, class, (double[]){x, y}, text, SIZE_MAX);
}

void svg_stroke(struct svg_out *out, const char *class, const double ends[4])
{
    svg_format(out, "<path class=\"%s\" d=\"M", class);
    svg_point(out, ends[0], ends[1]);
    svg_raw(out, "L");
    svg_point(out, ends[2], ends[3]);
    svg_raw(out, "\"/>\n");
}
