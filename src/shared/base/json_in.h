/* json_in.h - JSON read as it comes: no tree, no allocation, any input.
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
 * Each value must be taken or skipped.  After something that is not what was asked for, `failed` is set, every call
 * returns false, and loops end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

#define JSON_IN_DEPTH_MAX 64u

struct json_in {
    struct slice text; /* what is left */
    unsigned depth;
    bool is_first[JSON_IN_DEPTH_MAX]; /* by depth: no item was taken yet */
    bool failed;
};

bool json_in_object(struct json_in *json); /* begins one */
bool json_in_key(struct json_in *json, char *key,
                 size_t size);            /* the next; false: the object has ended */
bool json_in_array(struct json_in *json); /* begins one */
bool json_in_item(struct json_in *json);  /* whether there is another; false: it has ended */

/* Texts and keys that are longer than `size` are cut. */
bool json_in_text(struct json_in *json, char *text, size_t size);
bool json_in_uint(struct json_in *json, uint64_t *value); /* a whole number, not negative */
bool json_in_int(struct json_in *json, int64_t *value);   /* a whole number, or null: -1 */
bool json_in_skip(struct json_in *json);                  /* any value */

/* Whether nothing but spaces is left. */
bool json_in_ended(struct json_in *json);
