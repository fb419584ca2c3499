/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/encodings/protobuf_in.h"

#define VARINT_BYTES_MAX 10

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
