/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/protobuf_in.h"

#define VARINT_BYTES_MAX 10
#define FIELD_NUMBER_MAX ((UINT64_C(1) << 29) - 1)

bool protobuf_long_varint(struct protobuf_in *in, uint64_t *value)
{
    size_t const left = (size_t)(in->end - in->at);
    size_t const limit = left < VARINT_BYTES_MAX ? left : VARINT_BYTES_MAX;
    uint64_t sum = 0;
    for (size_t i = 0; i < limit; i++) {
        unsigned char const byte = in->at[i];
        if (i == VARINT_BYTES_MAX - 1 && byte > 1)
            return false; /* more than 64 bits */
        sum |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            in->at += i + 1;
            *value = sum;
            return true;
        }
    }
    return false;
}

static bool take_bytes(struct protobuf_in *in, uint64_t size, struct slice *bytes)
{
    if (size > (uint64_t)(in->end - in->at))
        return false;
    *bytes = (struct slice){(const char *)in->at, (size_t)size};
    in->at += size;
    return true;
}

static bool take_payload(struct protobuf_in *in, struct protobuf_field *field)
{
    uint64_t size;
    switch (field->wire) {
    case WIRE_VARINT:
        return protobuf_varint(in, &field->value);
    case WIRE_BYTES:
        return protobuf_varint(in, &size) && take_bytes(in, size, &field->bytes);
    case WIRE_EIGHT:
        return take_bytes(in, 8, &field->bytes);
    case WIRE_FOUR:
        return take_bytes(in, 4, &field->bytes);
    default:
        return false;
    }
}

int protobuf_next(struct protobuf_in *in, struct protobuf_field *field)
{
    struct protobuf_in ahead = *in;
    uint64_t key;
    if (in->at == in->end)
        return 0;
    if (!protobuf_varint(&ahead, &key) || key >> 3 == 0 || key >> 3 > FIELD_NUMBER_MAX)
        return -EINVAL;
    field->number = (uint32_t)(key >> 3);
    field->wire = (enum protobuf_wire)(key & 7);
    if (!take_payload(&ahead, field))
        return -EINVAL;
    *in = ahead;
    return 1;
}
