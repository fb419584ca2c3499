/* json_out.h - JSON written as it is made: no tree, no allocation.
 *
 * The caller opens and closes objects and arrays in order (asserted); commas, indentation and
 * escapes are the writer's business.  Text that is not UTF-8 is written with U+FFFD in place of
 * each bad byte, so the result always parses.  Numbers that JSON has no word for (infinities)
 * become null.
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
    bool after_key;                 /* the next value belongs to the key just written */
    unsigned depth;                 /* open objects and arrays */
    bool has_items[JSON_DEPTH_MAX]; /* by depth: a comma comes before the next item */
    bool is_object[JSON_DEPTH_MAX];
    bool is_inline[JSON_DEPTH_MAX]; /* on one line, also when `indented` */
};

/* Writes to `file`, which stays the caller's.  `indented`: one item per line, for people. */
void json_init(struct json_out *json, FILE *file, bool indented);
/* A final newline and a flush.  0, or -EIO when anything could not be written. */
int json_finish(struct json_out *json);

void json_object_begin(struct json_out *json);
void json_object_end(struct json_out *json);
void json_array_begin(struct json_out *json);
void json_array_end(struct json_out *json);
/* The object or array that begins next, and all in it, stays on one line. */
void json_object_begin_inline(struct json_out *json);
void json_array_begin_inline(struct json_out *json);

void json_key(struct json_out *json, const char *key);

void json_text(struct json_out *json, const char *text); /* NULL is written as null */
void json_bytes(struct json_out *json, const char *text, size_t size);
void json_int(struct json_out *json, int64_t value);
void json_uint(struct json_out *json, uint64_t value);
void json_real(struct json_out *json, double value);
void json_bool(struct json_out *json, bool value);
void json_null(struct json_out *json);
/* A value that is JSON already. */
void json_raw(struct json_out *json, const char *text, size_t size);

/* Key and value in one. */
void json_text_field(struct json_out *json, const char *key, const char *text);
void json_int_field(struct json_out *json, const char *key, int64_t value);
void json_uint_field(struct json_out *json, const char *key, uint64_t value);
void json_real_field(struct json_out *json, const char *key, double value);
void json_bool_field(struct json_out *json, const char *key, bool value);
