/* http.h - many HTTP requests at once, by libcurl, in the thread that calls http_wait.
 *
 * Nothing blocks but http_wait.  A server that is slow, dead or lies costs its own request and
 * nothing else.  Addresses are http://, https:// and unix:/path/of/socket:/path.  Connections
 * are kept.  As many requests are begun as there are descriptors for; others wait for their
 * turn, and their time counts from then.  No sentence made here holds a header or a password of
 * an address. */
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
    long status; /* of HTTP; 0 without an answer.  Others than 200 to 299 are not errors here */
    /* as it was sent, after HTTP's own content encoding is undone; gone after `done` */
    struct slice body;
    const char *content_type;  /* "" when there was none */
    uint64_t begin_ns, end_ns; /* CLOCK_REALTIME */
    const char *why;           /* a sentence without secrets if error or a bad status, else "" */
};
/* Called by http_wait.  May ask for more. */
typedef void (*http_done_fn)(void *context, const struct http_answer *answer);
/* A piece of the body of an answer of 200 to 299, as it comes; `body` is empty then.  Returns 0 or
 * -errno to end the request with it.  Must not ask or cancel. */
typedef int (*http_piece_fn)(void *context, struct slice piece);

struct http_request {
    const char *url;
    const char *method;         /* NULL: GET, or POST with a body */
    const char *const *headers; /* "Name: value" */
    size_t header_count;
    struct slice body;   /* copied */
    uint64_t timeout_ms; /* for all of it; 0: 15 s */
    size_t bytes_max;    /* of the answer; 0: 64 MiB */
    http_done_fn done;
    void *context;
    http_piece_fn piece; /* NULL: the body is kept for `done` */
};

/* NULL with `fault`. */
struct http *http_create(struct fault *fault);
/* Requests under way are ended; their `done` is called with -ECANCELED. */
void http_destroy(struct http *http);

/* Begins a request; everything in `request` may go afterwards.  A number to cancel it by, or 0
 * with `fault` (a bad address, no memory): `done` is not called then. */
uint64_t http_ask(struct http *http, const struct http_request *request, struct fault *fault);
/* Its `done` is called with -ECANCELED, before this returns.  Unknown numbers are ignored. */
void http_cancel(struct http *http, uint64_t number);
size_t http_under_way(const struct http *http);

/* Drives all requests, for at most `timeout_ms` (-1: until something happens); returns early when
 * one was answered or one of `others` is ready, with their revents set.  Returns 0 or -errno. */
int http_wait(struct http *http, struct pollfd *others, unsigned other_count, int timeout_ms);
