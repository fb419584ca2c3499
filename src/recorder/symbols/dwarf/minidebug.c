/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/dwarf/minidebug.h"

#include <errno.h>
#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>

#define DECODER_MAX_BYTES ((uint64_t)128 * 1024 * 1024) /* for the decoder's dictionary */
#define FIRST_BYTES       ((size_t)256 * 1024)

/* Doubles the output block.  Sizes come from what was really unpacked, never from the input. */
static int grow(uint8_t **block, size_t *room, size_t max_bytes)
{
    if (*room == max_bytes)
        return -EFBIG;
    size_t wanted = *room == 0 ? FIRST_BYTES : *room * 2;
    if (wanted > max_bytes)
        wanted = max_bytes;
    uint8_t *grown = realloc(*block, wanted);
    if (!grown)
        return -ENOMEM;
    *block = grown;
    *room = wanted;
    return 0;
}

static int decode(lzma_stream *stream, size_t max_bytes, struct slice *unpacked)
{
    uint8_t *block = NULL;
    size_t room = 0, used = 0;
    lzma_ret state = LZMA_OK;
    int error = 0;

    while (state == LZMA_OK && error == 0) {
        if (used == room)
            error = grow(&block, &room, max_bytes);
        if (error == 0) {
            stream->next_out = block + used;
            stream->avail_out = room - used;
            state = lzma_code(stream, LZMA_FINISH);
            used = room - stream->avail_out;
        }
    }
    if (error == 0 && state != LZMA_STREAM_END)
        error = state == LZMA_MEM_ERROR ? -ENOMEM : -EINVAL;
    if (error) {
        free(block);
        return error;
    }
    *unpacked = (struct slice){(char *)block, used};
    return 0;
}

int minidebug_unpack(struct slice packed, size_t max_bytes, struct slice *unpacked)
{
    lzma_stream stream = LZMA_STREAM_INIT;

    *unpacked = (struct slice){NULL, 0};
    if (lzma_stream_decoder(&stream, DECODER_MAX_BYTES, 0) != LZMA_OK)
        return -ENOMEM;
    stream.next_in = (const uint8_t *)packed.data;
    stream.avail_in = packed.size;
    int error = decode(&stream, max_bytes, unpacked);
    lzma_end(&stream);
    return error;
}
