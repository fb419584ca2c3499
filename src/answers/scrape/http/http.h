/* http.h - many HTTP requests at once, with libcurl, in the thread that calls http_wait.
 *
 * Only http_wait blocks.  A slow, dead or misbehaving server affects only its own request.
 * Addresses are http://, https:// and unix:/path/of/socket:/path.  Connections are reused.  As many
 * requests run as there are descriptors; others wait, and their time limit starts when they begin.
 * Sentences made here contain no header and no password of an address. */
#pragma once

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/slice.h"

struct http;

struct http_answer {
    /* 0 or -errno: -ETIMEDOUT, -ECONNREFUSED, -EHOSTUNREACH, -EMFILE, -EMSGSIZE (more than
     * bytes_max), -EPROTO, -ECANCELED */
    int error;
    /* HTTP status; 0 without an answer.  A status outside 200 to 299 is not an error here */
    long status;
    /* the body, after HTTP's content encoding was undone; valid during `done` */
    struct slice body;
    const char *content_type;  /* "" when there was none */
    uint64_t begin_ns, end_ns; /* CLOCK_REALTIME */
    const char *why;           /* sentence without secrets, for an error or a bad status; else "" */
};
/* Callback for an answer, called by http_wait.  May send further requests. */
typedef void (*http_done_fn)(void *context, const struct http_answer *answer);
/* Callback for a piece of the body of an answer with status 200 to 299, while the answer arrives;
 * the `body` of the answer is empty then.  Returns 0, or -errno to end the request with that error.
 * Must not send or cancel requests. */
typedef int (*http_piece_fn)(void *context, struct slice piece);

struct http_request {
    const char *url;
    const char *method;         /* NULL: GET, or POST with a body */
    const char *const *headers; /* "Name: value" */
    size_t header_count;
    struct slice body;   /* copied */
    uint64_t timeout_ms; /* for the whole request; 0: 15 s */
    size_t bytes_max;    /* of the answer; 0: 64 MiB */
    http_done_fn done;
    void *context;
    http_piece_fn piece; /* NULL: the body is kept for `done` */
};

/* Returns NULL with `fault` on failure. */
struct http *http_create(struct fault *fault);
/* Cancels all requests; their `done` is called with -ECANCELED. */
void http_destroy(struct http *http);

/* Begins a request; `request` need not outlive the call.  Returns a number for http_cancel; or 0
 * with `fault` (a bad address, no memory), and `done` is not called. */
uint64_t http_ask(struct http *http, const struct http_request *request, struct fault *fault);
/* Cancels a request: `done` is called with -ECANCELED before this function returns.  Unknown
 * numbers are ignored. */
void http_cancel(struct http *http, uint64_t number);
size_t http_under_way(const struct http *http);

/* Works on all requests for at most `timeout_ms` (-1: no limit).  Returns early when a request was
 * answered, or one of `others` is ready; sets their revents.  Returns 0 or -errno. */
int http_wait(struct http *http, struct pollfd *others, unsigned other_count, int timeout_ms);
