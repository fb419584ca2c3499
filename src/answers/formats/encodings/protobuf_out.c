/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/encodings/protobuf_out.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum wire_type { WIRE_VARINT = 0, WIRE_BYTES = 2 };

void protobuf_fini(struct protobuf_out *message)
{
    free(message->data);
    *message = (struct protobuf_out){0};
}

void protobuf_reset(struct protobuf_out *message)
{
    message->size = 0;
}

static void put(struct protobuf_out *message, const void *data, size_t size)
{
    if (message->failed || size == 0)
        return;
    if (message->room - message->size < size) {
        void *grown = vec_grow_items(message->data, &message->room, message->size + size, 1);
        if (!grown) {
            message->failed = true;
            return;
        }
        message->data = grown;
    }
    memcpy(message->data + message->size, data, size);
    message->size += size;
}

void protobuf_raw(struct protobuf_out *message, const void *data, size_t size)
{
    put(message, data, size);
}

static size_t encode_varint(unsigned char bytes[10], uint64_t value)
{
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[size++] = (unsigned char)(value | 0x80);
    bytes[size++] = (unsigned char)value;
    return size;
}

static void put_varint(struct protobuf_out *message, uint64_t value)
{
    unsigned char bytes[10];
    put(message, bytes, encode_varint(bytes, value));
}

static void put_key(struct protobuf_out *message, unsigned field, enum wire_type type)
{
    put_varint(message, ((uint64_t)field << 3) | type);
}

void protobuf_uint(struct protobuf_out *message, unsigned field, uint64_t value)
{
    if (value == 0)
        return;
    put_key(message, field, WIRE_VARINT);
    put_varint(message, value);
}

void protobuf_bytes(struct protobuf_out *message, unsigned field, const void *data, size_t size)
{
    put_key(message, field, WIRE_BYTES);
    put_varint(message, size);
    put(message, data, size);
}

void protobuf_text(struct protobuf_out *message, unsigned field, const char *text)
{
    protobuf_bytes(message, field, text, strlen(text));
}

void protobuf_message(struct protobuf_out *message, unsigned field,
                      const struct protobuf_out *inner)
{
    message->failed |= inner->failed;
    protobuf_bytes(message, field, inner->data, inner->size);
}

void protobuf_packed(struct protobuf_out *message, unsigned field, const uint64_t *values,
                     size_t count)
{
    unsigned char bytes[10];
    uint64_t size = 0;
    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++)
        size += encode_varint(bytes, values[i]);
    put_key(message, field, WIRE_BYTES);
    put_varint(message, size);
    for (size_t i = 0; i < count; i++)
        put_varint(message, values[i]);
}
