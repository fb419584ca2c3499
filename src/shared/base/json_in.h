/* json_in.h - a streaming JSON reader: builds no tree, allocates nothing, accepts hostile input.
 *
 *     struct json_in json = {.text = slice};
 *     char key[32];
 *     for (json_in_object(&json); json_in_key(&json, key, sizeof(key));)
 *         if (strcmp(key, "pid") == 0)
 *             json_in_uint(&json, &pid);
 *         else
 *             json_in_skip(&json);
 *     if (json.failed) ...
 *
 * The caller must read or skip each value.  When the input does not hold what a call asks for,
 * `failed` is set; from then on every call returns false, so loops end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

#define JSON_IN_DEPTH_MAX 64u

struct json_in {
    struct slice text; /* The rest of the input. */
    unsigned depth;
    bool is_first[JSON_IN_DEPTH_MAX]; /* By depth: no item has been read yet. */
    bool failed;
};

/* Enters an object. */
bool json_in_object(struct json_in *json);
/* Reads the next key; false at the end of the object, which is then left. */
bool json_in_key(struct json_in *json, char *key, size_t size);
/* Enters an array. */
bool json_in_array(struct json_in *json);
/* Returns whether another item follows; false at the end of the array, which is then left. */
bool json_in_item(struct json_in *json);

/* Strings and keys longer than `size` are cut. */
bool json_in_text(struct json_in *json, char *text, size_t size);
bool json_in_uint(struct json_in *json, uint64_t *value); /* A whole number, not negative. */
bool json_in_int(struct json_in *json, int64_t *value);   /* A whole number, or null: -1. */
bool json_in_skip(struct json_in *json);                  /* Any value. */

/* Returns whether only white space is left, and nothing has failed. */
bool json_in_ended(struct json_in *json);
