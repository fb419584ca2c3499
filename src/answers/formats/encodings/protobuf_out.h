/* protobuf_out.h - writes protobuf to memory.
 *
 * Scalars that are zero are left out, as in proto3.  When out of memory, `failed` is set, and from
 * then on every call does nothing; so it is enough to check `failed` at the end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct protobuf_out {
    unsigned char *data;
    size_t size, room;
    bool failed;
};

void protobuf_fini(struct protobuf_out *message);  /* a zeroed one is ready to write to */
void protobuf_reset(struct protobuf_out *message); /* empties it; keeps its memory and `failed` */

void protobuf_uint(struct protobuf_out *message, unsigned field, uint64_t value);
void protobuf_bytes(struct protobuf_out *message, unsigned field, const void *data, size_t size);
void protobuf_text(struct protobuf_out *message, unsigned field, const char *text);
void protobuf_message(struct protobuf_out *message, unsigned field,
                      const struct protobuf_out *inner);
/* Appends fields that are encoded already. */
void protobuf_raw(struct protobuf_out *message, const void *data, size_t size);
/* Writes a repeated number in packed form.  Zeros are kept; an empty list is left out. */
void protobuf_packed(struct protobuf_out *message, unsigned field, const uint64_t *values,
                     size_t count);
