/* json_list.h - one field of every item of a vector, as a list under a key.  Whatever draws curves wants lists of one length, not
 * objects. */
#pragma once

#include "base/json_out.h"
#include "base/vec.h"

/* `put` is json_int or json_uint; `field` may have an index. */
#define json_list_write(json, key, vec, put, field)                                                \
    do {                                                                                           \
        json_key(json, key);                                                                       \
        json_array_begin_inline(json);                                                             \
        vec_each (json_item, vec)                                                                  \
            put(json, json_item->field);                                                           \
        json_array_end(json);                                                                      \
    } while (0)
