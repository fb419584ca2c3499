/* protobuf_in.h - reads protobuf, one field after the other, never past the end.
 *
 * The bytes are borrowed.  Groups, and numbers of more than ten bytes, are errors. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

#define PROTOBUF_NUMBER_MAX ((UINT64_C(1) << 29) - 1) /* largest number of a field */

enum protobuf_wire { WIRE_VARINT = 0, WIRE_EIGHT = 1, WIRE_BYTES = 2, WIRE_FOUR = 5 };

struct protobuf_in {
    const unsigned char *at, *end;
};

struct protobuf_field {
    uint32_t number;
    enum protobuf_wire wire;
    uint64_t value;     /* for a number */
    struct slice bytes; /* for anything else */
};

static inline struct protobuf_in protobuf_in_of(struct slice bytes)
{
    const unsigned char *at = (const unsigned char *)bytes.data;
    return (struct protobuf_in){at, bytes.size ? at + bytes.size : at};
}

/* Reads a number of more than one byte; the input must have at least one byte. */
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

static inline bool protobuf_parse_bytes(struct protobuf_in *in, uint64_t size, struct slice *bytes)
{
    if (size > (uint64_t)(in->end - in->at))
        return false;
    *bytes = (struct slice){(const char *)in->at, (size_t)size};
    in->at += size;
    return true;
}

static inline bool protobuf_parse_payload(struct protobuf_in *in, struct protobuf_field *field)
{
    uint64_t size;
    switch (field->wire) {
    case WIRE_VARINT:
        return protobuf_varint(in, &field->value);
    case WIRE_BYTES:
        return protobuf_varint(in, &size) && protobuf_parse_bytes(in, size, &field->bytes);
    case WIRE_EIGHT:
        return protobuf_parse_bytes(in, 8, &field->bytes);
    case WIRE_FOUR:
        return protobuf_parse_bytes(in, 4, &field->bytes);
    default:
        return false;
    }
}

/* Reads the next field.  Returns 1, 0 at the end, or -EINVAL if there is no valid field: `in` is
 * unchanged then. */
static inline int protobuf_next(struct protobuf_in *in, struct protobuf_field *field)
{
    struct protobuf_in ahead = *in;
    uint64_t key;
    if (in->at == in->end)
        return 0;
    if (!protobuf_varint(&ahead, &key) || key >> 3 == 0 || key >> 3 > PROTOBUF_NUMBER_MAX)
        return -EINVAL;
    field->number = (uint32_t)(key >> 3);
    field->wire = (enum protobuf_wire)(key & 7);
    if (!protobuf_parse_payload(&ahead, field))
        return -EINVAL;
    *in = ahead;
    return 1;
}
