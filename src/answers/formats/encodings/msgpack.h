/* msgpack.h - reads and writes MessagePack, one value after the other.  Any input is safe; reading
 * uses no recursion and allocates no memory.
 *
 *     struct msgpack_in in = {slice};
 *     struct msgpack_value value;
 *     if (!msgpack_next(&in, &value) || value.type != MSGPACK_MAP) ...
 *     for (uint64_t i = 0; i < value.count && msgpack_next(&in, &key); i++)
 *         msgpack_skip(&in, NULL);
 *
 * The items of a container follow it: `count` values for an array, `count` pairs for a map.  Each
 * must be read or skipped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

enum msgpack_type {
    MSGPACK_NIL,
    MSGPACK_BOOL,
    MSGPACK_UINT,
    MSGPACK_INT, /* below 0 */
    MSGPACK_REAL,
    MSGPACK_TEXT,
    MSGPACK_BYTES,
    MSGPACK_ARRAY,
    MSGPACK_MAP,
    MSGPACK_EXT
};

struct msgpack_value {
    enum msgpack_type type;
    union {
        bool truth;
        uint64_t number;
        int64_t negative;
        double real;
        uint64_t count; /* items of an array or map; never more than there are bytes for */
    };
    struct slice bytes; /* for a text, bytes or ext: part of the input */
};

struct msgpack_in {
    struct slice text; /* the rest of the input */
    bool failed; /* the input ended early, or is no MessagePack; every call then returns false */
};

bool msgpack_next(struct msgpack_in *in, struct msgpack_value *value);
/* Skips a value with everything in it.  *whole is set to its bytes, unless it is NULL. */
bool msgpack_skip(struct msgpack_in *in, struct slice *whole);
/* Reads a key of a map as text: texts and bytes unchanged, numbers in decimal, anything else as "".
 * Longer keys are cut. */
bool msgpack_key(struct msgpack_in *in, char *key, size_t size);

/* When out of memory, `failed` is set, and from then on every call does nothing. */
struct msgpack_out {
    char *data;
    size_t size, room;
    bool failed;
};
void msgpack_fini(struct msgpack_out *out);  /* a zeroed one is ready to write to */
void msgpack_reset(struct msgpack_out *out); /* empties it, and keeps its memory */
void msgpack_put_nil(struct msgpack_out *out);
void msgpack_put_bool(struct msgpack_out *out, bool truth);
void msgpack_put_uint(struct msgpack_out *out, uint64_t number);
void msgpack_put_int(struct msgpack_out *out, int64_t number);
void msgpack_put_real(struct msgpack_out *out, double real);
void msgpack_put_text(struct msgpack_out *out, const char *text);
void msgpack_put_bytes(struct msgpack_out *out, struct slice bytes);
void msgpack_put_array(struct msgpack_out *out, uint32_t count);
void msgpack_put_map(struct msgpack_out *out, uint32_t count);
/* a value that is encoded already */
void msgpack_put_raw(struct msgpack_out *out, struct slice value);
