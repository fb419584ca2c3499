/* json_out.h - a streaming JSON writer: builds no tree, allocates nothing.
 *
 * The caller opens and closes objects and arrays in the right order (checked by assert); the writer
 * adds commas, indentation and escapes.  Each invalid UTF-8 byte is replaced by U+FFFD, so the
 * result always parses; what steers a terminal (utf8.h) is written as \uXXXX.  Numbers
 * that JSON cannot express (NaN, infinities) become null.
 *
 *     struct json_out json;
 *     json_init(&json, file, true);
 *     json_object_begin(&json);
 *     json_key(&json, "rows");
 *     json_array_begin(&json);
 *     json_array_end(&json);
 *     json_object_end(&json);
 *     int err = json_finish(&json); */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH_MAX 32

struct json_out {
    FILE *file;
    bool indented;
    bool after_key;                 /* The next value belongs to the key just written. */
    unsigned depth;                 /* Number of open objects and arrays. */
    bool has_items[JSON_DEPTH_MAX]; /* By depth: the next item needs a comma before it. */
    bool is_object[JSON_DEPTH_MAX];
    bool is_inline[JSON_DEPTH_MAX]; /* By depth: stays on one line, even if `indented`. */
};

/* Begins a text in `file`, which the caller still owns.  `indented`: one item per line, for
 * people. */
void json_init(struct json_out *json, FILE *file, bool indented);
/* Writes a final newline and flushes.  Returns 0, or -EIO if anything could not be written. */
int json_finish(struct json_out *json);

void json_object_begin(struct json_out *json);
void json_object_end(struct json_out *json);
void json_array_begin(struct json_out *json);
void json_array_end(struct json_out *json);
/* Begins an object or array that stays on one line with everything in it. */
void json_object_begin_inline(struct json_out *json);
void json_array_begin_inline(struct json_out *json);

void json_key(struct json_out *json, const char *key);

void json_text(struct json_out *json, const char *text); /* NULL is written as null. */
void json_bytes(struct json_out *json, const char *text, size_t size);
void json_int(struct json_out *json, int64_t value);
void json_uint(struct json_out *json, uint64_t value);
void json_real(struct json_out *json, double value);
void json_bool(struct json_out *json, bool value);
void json_null(struct json_out *json);
/* null unless the value is known. */
void json_int_if(struct json_out *json, bool is_known, int64_t value);
void json_uint_if(struct json_out *json, bool is_known, uint64_t value);
/* Writes a value that is JSON already, unchanged. */
void json_raw(struct json_out *json, const char *text, size_t size);

/* Write a key and its value. */
void json_text_field(struct json_out *json, const char *key, const char *text);
void json_int_field(struct json_out *json, const char *key, int64_t value);
void json_uint_field(struct json_out *json, const char *key, uint64_t value);
void json_int_field_if(struct json_out *json, const char *key, bool is_known, int64_t value);
void json_uint_field_if(struct json_out *json, const char *key, bool is_known, uint64_t value);
void json_real_field(struct json_out *json, const char *key, double value);
void json_bool_field(struct json_out *json, const char *key, bool value);
