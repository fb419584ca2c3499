/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/encodings/msgpack.h"

#include <stdlib.h>

void msgpack_fini(struct msgpack_out *out)
{
    free(out->data);
    *out = (struct msgpack_out){0};
}

void msgpack_reset(struct msgpack_out *out)
{
    out->size = 0;
}

static void put(struct msgpack_out *out, const void *data, size_t size)
{
    if (out->failed || size == 0)
        return;
    if (out->room - out->size < size) {
        size_t room = out->room ? out->room : 256;
        while (room - out->size < size)
            room *= 2;
        char *grown = realloc(out->data, room);
        if (!grown) {
            out->failed = true;
            return;
        }
        out->data = grown;
        out->room = room;
    }
    memcpy(out->data + out->size, data, size);
    out->size += size;
}

/* The form byte, then the lowest `width` bytes of `number`, the highest first. */
static void put_form(struct msgpack_out *out, unsigned form, size_t width, uint64_t number)
{
    unsigned char bytes[9] = {(unsigned char)form};
    for (size_t i = 0; i < width; i++)
        bytes[1 + i] = (unsigned char)(number >> (8 * (width - 1 - i)));
    put(out, bytes, 1 + width);
}

/* 1, 2, 4 or 8 bytes: the exponent of two that `number` needs. */
static unsigned width_of(uint64_t number)
{
    return number <= 0xff ? 0 : number <= 0xffff ? 1 : number <= 0xffffffff ? 2 : 3;
}

void msgpack_put_nil(struct msgpack_out *out)
{
    put_form(out, 0xc0, 0, 0);
}

void msgpack_put_bool(struct msgpack_out *out, bool truth)
{
    put_form(out, truth ? 0xc3 : 0xc2, 0, 0);
}

void msgpack_put_uint(struct msgpack_out *out, uint64_t number)
{
    if (number <= 0x7f)
        put_form(out, (unsigned)number, 0, 0);
    else
        put_form(out, 0xcc + width_of(number), (size_t)1 << width_of(number), number);
}

void msgpack_put_int(struct msgpack_out *out, int64_t number)
{
    if (number >= 0)
        msgpack_put_uint(out, (uint64_t)number);
    else if (number >= -32)
        put_form(out, (unsigned)(number + 0x100), 0, 0);
    else
        put_form(out, 0xd3, 8, (uint64_t)number);
}

void msgpack_put_real(struct msgpack_out *out, double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof(bits));
    put_form(out, 0xcb, 8, bits);
}

void msgpack_put_text(struct msgpack_out *out, const char *text)
{
    size_t const size = strlen(text);
    unsigned const width = width_of(size);
    if (size <= 31)
        put_form(out, 0xa0 | (unsigned)size, 0, 0);
    else
        put_form(out, 0xd9 + width, (size_t)1 << width, size);
    put(out, text, size);
}

void msgpack_put_bytes(struct msgpack_out *out, struct slice bytes)
{
    unsigned const width = width_of(bytes.size);
    put_form(out, 0xc4 + width, (size_t)1 << width, bytes.size);
    put(out, bytes.data, bytes.size);
}

static void put_container(struct msgpack_out *out, unsigned small, unsigned form, uint32_t count)
{
    if (count <= 0xf)
        put_form(out, small | count, 0, 0);
    else if (count <= 0xffff)
        put_form(out, form, 2, count);
    else
        put_form(out, form + 1, 4, count);
}

void msgpack_put_array(struct msgpack_out *out, uint32_t count)
{
    put_container(out, 0x90, 0xdc, count);
}

void msgpack_put_map(struct msgpack_out *out, uint32_t count)
{
    put_container(out, 0x80, 0xde, count);
}

void msgpack_put_raw(struct msgpack_out *out, struct slice value)
{
    put(out, value.data, value.size);
}
