/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/response.h"

#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#define STREAM_BYTES   ((size_t)64 << 10)
#define FOLLOW_BYTES   ((size_t)2 << 10)
#define FOLLOW_BUFFER  (32 << 10) /* what the kernel keeps for one who does not read */
#define FOLLOW_GONE_MS 60000u     /* without a sign of life of its machine */

static int socket_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

bool connection_has_left(struct MHD_Connection *connection)
{
    struct pollfd look = {socket_of(connection), POLLRDHUP, 0};
    return poll(&look, 1, 0) > 0 && (look.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

static void pause_line(void *connection)
{
    MHD_suspend_connection(connection);
}

static void resume_line(void *connection)
{
    MHD_resume_connection(connection);
}

static bool line_has_left(void *connection)
{
    return connection_has_left(connection);
}

/* An answer that never ends may have a reader who never reads. */
static void bound_line(struct MHD_Connection *connection)
{
    int const fd = socket_of(connection), bytes = FOLLOW_BUFFER;
    unsigned const gone_ms = FOLLOW_GONE_MS;
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &gone_ms, sizeof(gone_ms));
}

static ssize_t fill_from_stream(void *state, uint64_t position, char *into, size_t room)
{
    struct answer_stream *stream = state;
    (void)position;
    size_t const size = stream->fill(stream->state, into, room);
    return size == STREAM_PAUSED ? 0 : size ? (ssize_t)size : MHD_CONTENT_READER_END_OF_STREAM;
}

static void close_stream(void *state)
{
    struct answer_stream *stream = state;
    stream->close(stream->state);
    free(stream);
}

static struct MHD_Response *make_of_stream(struct answer *answer, struct MHD_Connection *connection)
{
    bool const follows = answer->stream.attach != NULL;
    struct answer_stream *stream = malloc(sizeof(*stream));
    if (!stream)
        return NULL;
    *stream = answer->stream;
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, follows ? FOLLOW_BYTES : STREAM_BYTES,
                                          fill_from_stream, stream, close_stream);
    if (!response) {
        free(stream);
        return NULL;
    }
    answer->stream = (struct answer_stream){0};
    if (follows) {
        stream->attach(stream->state,
                       (struct stream_line){connection, pause_line, resume_line, line_has_left});
        bound_line(connection);
    }
    return response;
}

static void add_headers(struct MHD_Response *response, const struct answer *answer,
                        const char *share_with)
{
    const char *name = answer->own_name[0] ? answer->own_name : answer->name;
    char file[FILE_NAME_MOST + 32];
    MHD_add_response_header(response, "Content-Type", answer->type ? answer->type : TYPE_TEXT);
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Content-Security-Policy",
                            answer->policy ? answer->policy : "default-src 'none'");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(response, "X-Frame-Options", "DENY");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    if (name) {
        snprintf(file, sizeof(file), "attachment; filename=\"%s\"", name);
        MHD_add_response_header(response, "Content-Disposition", file);
    }
    if (share_with) {
        MHD_add_response_header(response, "Access-Control-Allow-Origin", share_with);
        MHD_add_response_header(response, "Access-Control-Allow-Headers", "Authorization");
        MHD_add_response_header(response, "Vary", "Origin");
    }
    if (answer->status == 401)
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    if (answer->status == 405)
        MHD_add_response_header(response, "Allow", "GET, HEAD");
    if (answer->status == 503)
        MHD_add_response_header(response, "Retry-After", "5");
}

struct MHD_Response *response_make(struct answer *answer, struct MHD_Connection *connection,
                                   const char *share_with)
{
    struct MHD_Response *response;
    if (answer->stream.state) {
        response = make_of_stream(answer, connection);
    } else {
        response =
            MHD_create_response_from_buffer(answer->size, answer->body, MHD_RESPMEM_MUST_FREE);
        if (response)
            answer->body = NULL;
    }
    if (response)
        add_headers(response, answer, share_with);
    return response;
}
