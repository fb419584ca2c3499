/* msgpack.h - MessagePack, read as it comes and written as it is made.  Any input is safe: no
 * recursion, no allocation while reading.
 *
 *     struct msgpack_in in = {slice};
 *     struct msgpack_value value;
 *     if (!msgpack_next(&in, &value) || value.type != MSGPACK_MAP) ...
 *     for (uint64_t i = 0; i < value.count && msgpack_next(&in, &key); i++)
 *         msgpack_skip(&in);
 *
 * A container's items follow it: `count` values of an array, `count` pairs of a map.  Each must
 * be taken or skipped. */
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
        uint64_t count; /* of an array's or map's items: never more than there are bytes for */
    };
    struct slice bytes; /* of a text, bytes or ext: in the input */
};

struct msgpack_in {
    struct slice text; /* what is left */
    bool failed;       /* it ended early, or was no MessagePack; every call then returns false */
};

bool msgpack_next(struct msgpack_in *in, struct msgpack_value *value);
/* A whole value, with all in it; the bytes it took are in *whole unless that is NULL. */
bool msgpack_skip(struct msgpack_in *in, struct slice *whole);
/* A key of a map as text: texts and bytes as they are, numbers in decimal, else "".  Longer ones
 * are cut. */
bool msgpack_key(struct msgpack_in *in, char *key, size_t size);

/* Running out of memory sets `failed`; every call after that does nothing. */
struct msgpack_out {
    char *data;
    size_t size, room;
    bool failed;
};
void msgpack_fini(struct msgpack_out *out);  /* a zeroed one is ready to write to */
void msgpack_reset(struct msgpack_out *out); /* empty again, memory kept */
void msgpack_put_nil(struct msgpack_out *out);
void msgpack_put_bool(struct msgpack_out *out, bool truth);
void msgpack_put_uint(struct msgpack_out *out, uint64_t number);
void msgpack_put_int(struct msgpack_out *out, int64_t number);
void msgpack_put_real(struct msgpack_out *out, double real);
void msgpack_put_text(struct msgpack_out *out, const char *text);
void msgpack_put_bytes(struct msgpack_out *out, struct slice bytes);
void msgpack_put_array(struct msgpack_out *out, uint32_t count);
void msgpack_put_map(struct msgpack_out *out, uint32_t count);
void msgpack_put_raw(struct msgpack_out *out, struct slice value); /* written elsewhere, as it is */
