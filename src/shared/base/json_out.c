/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_out.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"

/* A `struct json_out` has one writer, so its file needs no lock for every byte. */
#define putc(c, file)         putc_unlocked(c, file)
#define fputs(s, file)        fputs_unlocked(s, file)
#define fwrite(p, s, n, file) fwrite_unlocked(p, s, n, file)

void json_init(struct json_out *json, FILE *file, bool indented)
{
    memset(json, 0, sizeof(*json));
    json->file = file;
    json->indented = indented;
}

int json_finish(struct json_out *json)
{
    assert(json->depth == 0 && !json->after_key);
    putc('\n', json->file);
    return fflush(json->file) != 0 || ferror(json->file) ? -EIO : 0;
}

static void break_line(struct json_out *json, bool is_inline)
{
    if (!json->indented)
        return;
    if (is_inline) {
        putc(' ', json->file);
        return;
    }
    putc('\n', json->file);
    for (unsigned i = 0; i < json->depth; i++)
        fputs("  ", json->file);
}

/* What stands between the item before and this one. */
static void begin_item(struct json_out *json)
{
    if (json->depth == 0)
        return;
    unsigned const at = json->depth - 1;
    if (json->has_items[at])
        putc(',', json->file);
    if (json->has_items[at] || !json->is_inline[at])
        break_line(json, json->is_inline[at]);
    json->has_items[at] = true;
}

static void begin_value(struct json_out *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    assert(json->depth == 0 || !json->is_object[json->depth - 1]);
    begin_item(json);
}

static void open_group(struct json_out *json, bool is_object, bool is_inline)
{
    begin_value(json);
    assert(json->depth < JSON_DEPTH_MAX);
    unsigned const at = json->depth++;
    json->is_object[at] = is_object;
    json->has_items[at] = false;
    json->is_inline[at] = is_inline || (at > 0 && json->is_inline[at - 1]);
    putc(is_object ? '{' : '[', json->file);
}

static void close_group(struct json_out *json, bool is_object)
{
    assert(json->depth > 0 && !json->after_key);
    unsigned const at = --json->depth;
    assert(json->is_object[at] == is_object);
    if (json->has_items[at] && !json->is_inline[at])
        break_line(json, false);
    putc(is_object ? '}' : ']', json->file);
}

void json_raw(struct json_out *json, const char *text, size_t size)
{
    begin_value(json);
    fwrite(text, 1, size, json->file);
}

void json_object_begin(struct json_out *json)
{
    open_group(json, true, false);
}

void json_object_end(struct json_out *json)
{
    close_group(json, true);
}

void json_array_begin(struct json_out *json)
{
    open_group(json, false, false);
}

void json_array_end(struct json_out *json)
{
    close_group(json, false);
}

void json_object_begin_inline(struct json_out *json)
{
    open_group(json, true, true);
}

void json_array_begin_inline(struct json_out *json)
{
    open_group(json, false, true);
}

static void write_escaped(FILE *file, unsigned char c)
{
    switch (c) {
    case '"':
    case '\\':
        putc('\\', file);
        putc(c, file);
        break;
    case '\n':
        fputs("\\n", file);
        break;
    case '\t':
        fputs("\\t", file);
        break;
    case '\r':
        fputs("\\r", file);
        break;
    default:
        fprintf(file, "\\u%04x", c);
    }
}

/* Of a valid character of two or three bytes: none that steers is longer. */
static unsigned code_point(const char *character, size_t length)
{
    unsigned code = (unsigned char)character[0] & (length == 2 ? 0x1f : 0x0f);
    for (size_t i = 1; i < length; i++)
        code = code << 6 | ((unsigned char)character[i] & 0x3f);
    return code;
}

/* Bytes at the front of `text` that can be written as they are. */
static size_t plain_length(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size) {
        unsigned char const c = (unsigned char)text[at];
        size_t const length = c < 0x80 ? 1 : utf8_length(text + at, size - at);
        if (length == 0 || c == '"' || c == '\\' || utf8_steers(text + at, length))
            break;
        at += length;
    }
    return at;
}

static void write_text(FILE *file, const char *text, size_t size)
{
    putc('"', file);
    for (size_t at = 0; at < size;) {
        size_t const plain = plain_length(text + at, size - at);
        fwrite(text + at, 1, plain, file);
        at += plain;
        if (at == size)
            break;
        size_t const length = utf8_length(text + at, size - at);
        if (length > 1)
            fprintf(file, "\\u%04x", code_point(text + at, length));
        else if (length == 1)
            write_escaped(file, (unsigned char)text[at]);
        else
            fputs("\xef\xbf\xbd", file);
        at += length ? length : 1;
    }
    putc('"', file);
}

void json_key(struct json_out *json, const char *key)
{
    assert(json->depth > 0 && json->is_object[json->depth - 1] && !json->after_key);
    begin_item(json);
    write_text(json->file, key, strlen(key));
    fputs(json->indented ? ": " : ":", json->file);
    json->after_key = true;
}

void json_text(struct json_out *json, const char *text)
{
    if (text)
        json_bytes(json, text, strlen(text));
    else
        json_null(json);
}

void json_bytes(struct json_out *json, const char *text, size_t size)
{
    begin_value(json);
    write_text(json->file, text, size);
}

static void write_digits(FILE *file, uint64_t value)
{
    char digits[20];
    size_t at = sizeof(digits);
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    fwrite(digits + at, 1, sizeof(digits) - at, file);
}

void json_int(struct json_out *json, int64_t value)
{
    begin_value(json);
    if (value < 0)
        putc('-', json->file);
    write_digits(json->file, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void json_uint(struct json_out *json, uint64_t value)
{
    begin_value(json);
    write_digits(json->file, value);
}

void json_real(struct json_out *json, double value)
{
    if (!isfinite(value)) {
        json_null(json);
        return;
    }
    begin_value(json);
    fprintf(json->file, "%.10g", value);
}

void json_bool(struct json_out *json, bool value)
{
    begin_value(json);
    fputs(value ? "true" : "false", json->file);
}

void json_null(struct json_out *json)
{
    begin_value(json);
    fputs("null", json->file);
}

void json_int_if(struct json_out *json, bool is_known, int64_t value)
{
    if (is_known)
        json_int(json, value);
    else
        json_null(json);
}

void json_uint_if(struct json_out *json, bool is_known, uint64_t value)
{
    if (is_known)
        json_uint(json, value);
    else
        json_null(json);
}

void json_text_field(struct json_out *json, const char *key, const char *text)
{
    json_key(json, key);
    json_text(json, text);
}

void json_int_field(struct json_out *json, const char *key, int64_t value)
{
    json_key(json, key);
    json_int(json, value);
}

void json_uint_field(struct json_out *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_uint(json, value);
}

void json_int_field_if(struct json_out *json, const char *key, bool is_known, int64_t value)
{
    json_key(json, key);
    json_int_if(json, is_known, value);
}

void json_uint_field_if(struct json_out *json, const char *key, bool is_known, uint64_t value)
{
    json_key(json, key);
    json_uint_if(json, is_known, value);
}

void json_real_field(struct json_out *json, const char *key, double value)
{
    json_key(json, key);
    json_real(json, value);
}

void json_bool_field(struct json_out *json, const char *key, bool value)
{
    json_key(json, key);
    json_bool(json, value);
}
