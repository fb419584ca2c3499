/* protobuf_in.h - the few words of protobuf that reading needs: one field after the other, never past the end.
 *
 * Bytes stay the caller's.  Groups, which nobody writes, and numbers of more than ten bytes are errors. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum protobuf_wire { WIRE_VARINT = 0, WIRE_EIGHT = 1, WIRE_BYTES = 2, WIRE_FOUR = 5 };

struct protobuf_in {
    const unsigned char *at, *end;
};

struct protobuf_field {
    uint32_t number;
    enum protobuf_wire wire;
    uint64_t value;     /* of a number */
    struct slice bytes; /* of anything else */
};

static inline struct protobuf_in protobuf_in_of(struct slice bytes)
{
    const unsigned char *at = (const unsigned char *)bytes.data;
    return (struct protobuf_in){at, bytes.size ? at + bytes.size : at};
}

/* A number of more than one byte, of which there is at least one. */
bool protobuf_long_varint(struct protobuf_in *in, uint64_t *value);

static inline bool protobuf_varint(struct protobuf_in *in, uint64_t *value)
{
    if (in->at == in->end)
        return false;
    if (*in->at >= 0x80)
        return protobuf_long_varint(in, value);
    *value = *in->at++;
    return true;
}

/* 1 and the next field, 0 at the end, -EINVAL when it is none: `in` stays where it began. */
int protobuf_next(struct protobuf_in *in, struct protobuf_field *field);
