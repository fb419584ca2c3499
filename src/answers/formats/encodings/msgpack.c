/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/encodings/msgpack.h"

#include <stdio.h>

#include "base/invariant.h"

/* The first byte says the type; 0xc0 to 0xdf are listed, the rest are small values in the byte
 * itself. */
enum { FORM_NIL = 0xc0, FORM_FALSE = 0xc2, FORM_TRUE = 0xc3, FORM_REAL32 = 0xca, FORM_REAL64 };

/* A number of `width` bytes, the highest first. */
static bool parse_number(struct msgpack_in *in, size_t width, uint64_t *number)
{
    uint64_t sum = 0;
    if (in->text.size < width) {
        in->failed = true;
        return false;
    }
    for (size_t i = 0; i < width; i++)
        sum = sum << 8 | (unsigned char)in->text.data[i];
    in->text.data += width;
    in->text.size -= width;
    *number = sum;
    return true;
}

static bool parse_bytes(struct msgpack_in *in, enum msgpack_type type, uint64_t size,
                        struct msgpack_value *value)
{
    if (size > in->text.size) {
        in->failed = true;
        return false;
    }
    value->type = type;
    value->bytes = (struct slice){in->text.data, (size_t)size};
    in->text.data += size;
    in->text.size -= (size_t)size;
    return true;
}

/* Every item takes a byte at least: what says it has more is cut off, or lies. */
static bool parse_container(struct msgpack_in *in, enum msgpack_type type, uint64_t count,
                            struct msgpack_value *value)
{
    if (count * (type == MSGPACK_MAP ? 2 : 1) > in->text.size) {
        in->failed = true;
        return false;
    }
    value->type = type;
    value->count = count;
    return true;
}

static bool parse_real(struct msgpack_in *in, size_t width, struct msgpack_value *value)
{
    uint64_t bits;
    if (!parse_number(in, width, &bits))
        return false;
    value->type = MSGPACK_REAL;
    if (width == 4) {
        uint32_t const low = (uint32_t)bits;
        float real;
        memcpy(&real, &low, sizeof(real));
        value->real = (double)real;
    } else {
        memcpy(&value->real, &bits, sizeof(value->real));
    }
    return true;
}

static bool parse_signed(struct msgpack_in *in, size_t width, struct msgpack_value *value)
{
    uint64_t bits;
    if (!parse_number(in, width, &bits))
        return false;
    INVARIANT(width > 0 && width <= 8);
    uint64_t const sign = UINT64_C(1) << (8 * width - 1);
    bool const is_negative = bits & sign;
    value->type = is_negative ? MSGPACK_INT : MSGPACK_UINT;
    if (is_negative)
        value->negative = (int64_t)(bits | ~(sign - 1));
    else
        value->number = bits;
    return true;
}

/* Types whose size, number or count follows in 1, 2, 4 or 8 bytes. */
static bool parse_sized(struct msgpack_in *in, unsigned form, struct msgpack_value *value)
{
    uint64_t number;
    if (form >= 0xd0 && form <= 0xd3)
        return parse_signed(in, (size_t)1 << (form - 0xd0), value);
    if (form >= 0xcc && form <= 0xcf) {
        value->type = MSGPACK_UINT;
        return parse_number(in, (size_t)1 << (form - 0xcc), &value->number);
    }
    if (form >= 0xd4 && form <= 0xd8) /* ext of 1 to 16 bytes, after its own type byte */
        return parse_bytes(in, MSGPACK_EXT, 1 + (UINT64_C(1) << (form - 0xd4)), value);
    if (form >= 0xc4 && form <= 0xc6)
        return parse_number(in, (size_t)1 << (form - 0xc4), &number) &&
               parse_bytes(in, MSGPACK_BYTES, number, value);
    if (form >= 0xc7 && form <= 0xc9)
        return parse_number(in, (size_t)1 << (form - 0xc7), &number) &&
               parse_bytes(in, MSGPACK_EXT, number + 1, value);
    if (form >= 0xd9 && form <= 0xdb)
        return parse_number(in, (size_t)1 << (form - 0xd9), &number) &&
               parse_bytes(in, MSGPACK_TEXT, number, value);
    enum msgpack_type const type = form <= 0xdd ? MSGPACK_ARRAY : MSGPACK_MAP;
    return parse_number(in, form & 1 ? 4 : 2, &number) && parse_container(in, type, number, value);
}

bool msgpack_next(struct msgpack_in *in, struct msgpack_value *value)
{
    uint64_t form;
    *value = (struct msgpack_value){.type = MSGPACK_NIL};
    if (in->failed || !parse_number(in, 1, &form))
        return false;
    if (form <= 0x7f || form >= 0xe0) {
        value->type = form <= 0x7f ? MSGPACK_UINT : MSGPACK_INT;
        if (form <= 0x7f)
            value->number = form;
        else
            value->negative = (int64_t)form - 0x100;
        return true;
    }
    if (form <= 0x8f)
        return parse_container(in, MSGPACK_MAP, form & 0xf, value);
    if (form <= 0x9f)
        return parse_container(in, MSGPACK_ARRAY, form & 0xf, value);
    if (form <= 0xbf)
        return parse_bytes(in, MSGPACK_TEXT, form & 0x1f, value);
    switch (form) {
    case FORM_NIL:
        return true;
    case FORM_FALSE:
    case FORM_TRUE:
        value->type = MSGPACK_BOOL;
        value->truth = form == FORM_TRUE;
        return true;
    case FORM_REAL32:
    case FORM_REAL64:
        return parse_real(in, form == FORM_REAL32 ? 4 : 8, value);
    case 0xc1: /* never used */
        in->failed = true;
        return false;
    default:
        return parse_sized(in, (unsigned)form, value);
    }
}

bool msgpack_skip(struct msgpack_in *in, struct slice *whole)
{
    const char *begin = in->text.data;
    uint64_t pending = 1; /* values still to come */
    struct msgpack_value value;
    while (pending > 0) {
        if (pending > in->text.size) {
            in->failed = true;
            return false;
        }
        if (!msgpack_next(in, &value))
            return false;
        pending--;
        if (value.type == MSGPACK_ARRAY)
            pending += value.count;
        else if (value.type == MSGPACK_MAP)
            pending += 2 * value.count;
    }
    if (whole)
        *whole = (struct slice){begin, (size_t)(in->text.data - begin)};
    return true;
}

bool msgpack_key(struct msgpack_in *in, char *key, size_t size)
{
    struct msgpack_value value;
    struct msgpack_in const before = *in;
    key[0] = '\0';
    if (!msgpack_next(in, &value))
        return false;
    switch (value.type) {
    case MSGPACK_TEXT:
    case MSGPACK_BYTES: {
        size_t const length = value.bytes.size < size ? value.bytes.size : size - 1;
        memcpy(key, value.bytes.data, length);
        key[length] = '\0';
        return true;
    }
    case MSGPACK_UINT:
        snprintf(key, size, "%llu", (unsigned long long)value.number);
        return true;
    case MSGPACK_INT:
        snprintf(key, size, "%lld", (long long)value.negative);
        return true;
    default:
        *in = before;
        return msgpack_skip(in, NULL);
    }
}
