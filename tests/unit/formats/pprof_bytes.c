/* SPDX-License-Identifier: Apache-2.0 */
#include "pprof_bytes.h"

#include <stdlib.h>
#include <zlib.h>

#include "check.h"

char *gzip_bytes(const void *data, size_t size, size_t *packed_size)
{
    z_stream stream = {0};
    CHECK(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    size_t const room = deflateBound(&stream, size);
    char *packed = malloc(room);
    CHECK(packed != NULL);
    stream.next_in = (unsigned char *)(uintptr_t)data;
    stream.avail_in = (uInt)size;
    stream.next_out = (unsigned char *)packed;
    stream.avail_out = (uInt)room;
    CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    *packed_size = room - stream.avail_out;
    deflateEnd(&stream);
    return packed;
}
