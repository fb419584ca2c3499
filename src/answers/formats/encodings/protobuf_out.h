/* protobuf_out.h - the few words of protobuf that writing needs, into memory.
 *
 * Scalars that are zero are left out, as proto3 has it.  Running out of memory sets `failed`; every
 * call after that does nothing, so one look at the end is enough. */
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
void protobuf_reset(struct protobuf_out *message); /* empty again, memory and `failed` kept */

void protobuf_uint(struct protobuf_out *message, unsigned field, uint64_t value);
void protobuf_bytes(struct protobuf_out *message, unsigned field, const void *data, size_t size);
void protobuf_text(struct protobuf_out *message, unsigned field, const char *text);
void protobuf_message(struct protobuf_out *message, unsigned field,
                      const struct protobuf_out *inner);
/* Fields written elsewhere, as they are. */
void protobuf_raw(struct protobuf_out *message, const void *data, size_t size);
/* A repeated number in packed form; zeros are kept, none at all is left out. */
void protobuf_packed(struct protobuf_out *message, unsigned field, const uint64_t *values,
                     size_t count);
