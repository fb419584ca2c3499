/* exchange.h - one request, checked, and its answer.  Knows nothing of the library that carries them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fault.h"

struct source_folders;
struct target_list;
struct errand;
struct events;

#define FILE_NAME_MOST      96
#define PARAMETERS_MOST     16
#define PARAMETER_NAME_MOST 32
#define PARAMETER_TEXT_MOST 1024 /* paths of source files are long */

struct parameter {
    char name[PARAMETER_NAME_MOST];
    char text[PARAMETER_TEXT_MOST]; /* "" when it had none */
};

/* Requests so far: those that came in, of which some had gone before their turn, and those that were refused before any route saw
 * them. */
struct request_counts {
    _Atomic uint64_t let_in, left, refused;
};

struct request {
    struct parameter parameters[PARAMETERS_MOST];
    size_t parameter_count;
    bool has_odd_parameters; /* some were too many or too long, and are not here */
    bool is_here;            /* the client is on this machine, and speaks for nobody elsewhere */
    bool may_see_addresses;  /* of the watched program */
    bool wants_openmetrics;
    bool wants_json;                  /* errors as JSON */
    bool wants_html;                  /* as browsers do of a page */
    uint64_t began_ns;                /* monotonic */
    uint64_t from_ns;                 /* for a route that answers later: what it noted at first */
    struct errand *errand;            /* likewise: who makes the answer; ended with the request */
    const struct target_list *served; /* all that is, for a route about them */
    const struct source_folders
        *sources; /* from where sources may be shown; never NULL in a route */
    const struct request_counts *counts; /* likewise */
    struct events *events;               /* what happens to it, likewise */
    uint64_t last_event;                 /* that the client has heard; 0: none */
};

/* The value of a parameter, or NULL. */
const char *request_parameter(const struct request *request, const char *name);

/* How a stream that has nothing to send yet lets go of the network, without a thread that waits. */
struct stream_line {
    void *connection;
    void (*pause)(void *connection);  /* only from within `fill` */
    void (*resume)(void *connection); /* any thread, once after each pause */
    bool (*has_left)(void *connection);
};
#define STREAM_PAUSED SIZE_MAX

/* A body that is made while it is sent, in the thread of the network: `fill` writes up to `room` bytes and says how many,
 * 0 at the end, STREAM_PAUSED after it has paused.  It has nothing in common with the target, which another thread works with
 * meanwhile. */
struct answer_stream {
    void *state; /* NULL: there is none */
    size_t (*fill)(void *state, char *into, size_t room);
    void (*close)(void *state);
    void (*attach)(void *state, struct stream_line line); /* before it begins; NULL: never pauses */
    size_t held_bytes;                                    /* of memory, until it is closed */
};

struct answer {
    unsigned status;               /* as in HTTP; 0: not yet, ask again at `again_ns` */
    const char *type;              /* content type */
    const char *name;              /* of the file that a browser saves it as, or NULL */
    char own_name[FILE_NAME_MOST]; /* the same, when it was made for this answer; "" when not */
    const char *policy;            /* what a browser may load from within it; NULL: nothing */
    char *body;                    /* owned */
    size_t size;
    struct answer_stream stream; /* owned; instead of `body` */
    uint64_t again_ns;           /* monotonic */
};

#define TYPE_TEXT   "text/plain; charset=utf-8"
#define TYPE_HTML   "text/html; charset=utf-8"
#define TYPE_JSON   "application/json"
#define TYPE_EVENTS "text/event-stream"

void answer_fini(struct answer *answer);

/* One sentence, without a newline, as text or, if the request wants it so, as {"error": …}. */
void answer_error(struct answer *answer, const struct request *request, unsigned status,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* A body written to a FILE: begin, write, finish.  NULL when out of memory; finish takes care of that, too. */
FILE *answer_begin(struct answer *answer);
void answer_finish(struct answer *answer, FILE *out, const char *type);

/* A body that is there already; the answer owns it from here on. */
void answer_take(struct answer *answer, char *body, size_t size, const char *type);

/* A body that is made while it is sent; the answer owns it from here on. */
void answer_stream(struct answer *answer, struct answer_stream stream, const char *type);

/* Not yet: the handler is called again in so many ns. */
void answer_later(struct answer *answer, uint64_t ns);
