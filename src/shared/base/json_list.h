/* json_list.h - writes one field of every item of a vector as a JSON array under a key.  Code that
 * draws curves wants arrays of equal length, not objects. */
#pragma once

#include "base/json_out.h"
#include "base/vec.h"

/* `put` is the function that writes the value: json_int or json_uint.  `field` may be an array
 * element. */
#define json_list_write(json, key, vec, put, field)                                                \
    do {                                                                                           \
        json_key(json, key);                                                                       \
        json_array_begin_inline(json);                                                             \
        vec_each (json_item, vec)                                                                  \
            put(json, json_item->field);                                                           \
        json_array_end(json);                                                                      \
    } while (0)
