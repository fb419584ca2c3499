/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/response.h"

#include <microhttpd.h>
#include <stdlib.h>

#define STREAM_BYTES ((size_t)64 << 10)

static ssize_t fill_from_stream(void *state, uint64_t position, char *into, size_t room)
{
    struct answer_stream *stream = state;
    (void)position;
    size_t const size = stream->fill(stream->state, into, room);
    return size ? (ssize_t)size : MHD_CONTENT_READER_END_OF_STREAM;
}

static void close_stream(void *state)
{
    struct answer_stream *stream = state;
    stream->close(stream->state);
    free(stream);
}

struct MHD_Response *response_make(struct answer *answer)
{
    struct MHD_Response *response;
    if (!answer->stream.state) {
        response =
            MHD_create_response_from_buffer(answer->size, answer->body, MHD_RESPMEM_MUST_FREE);
        if (response)
            answer->body = NULL;
        return response;
    }
    struct answer_stream *stream = malloc(sizeof(*stream));
    if (!stream)
        return NULL;
    *stream = answer->stream;
    response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BYTES, fill_from_stream,
                                                 stream, close_stream);
    if (response)
        answer->stream = (struct answer_stream){0};
    else
        free(stream);
    return response;
}
