/* exchange.h - one checked request and its answer, independent of the HTTP library. */
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
    char text[PARAMETER_TEXT_MOST]; /* Value; "" if the parameter had none. */
};

/* Requests so far.  `let_in`: passed on to a route, or to a 404; `left`: of these, the client
 * disconnected before the work was done; `refused`: refused before any route saw the request. */
struct request_counts {
    _Atomic uint64_t let_in, left, refused;
};

struct request {
    struct parameter parameters[PARAMETERS_MOST];
    size_t parameter_count;
    bool has_odd_parameters; /* Some parameters were too many or too long, and are missing here. */
    bool is_here;            /* The client is on this machine, and forwards for no other machine. */
    uint64_t client;         /* Equal for all requests of one client: socket_owner.h. */
    bool may_see_addresses;  /* Whether addresses of the watched program may be shown. */
    bool wants_openmetrics;
    bool wants_json;   /* Errors are sent as JSON. */
    bool wants_html;   /* The client accepts HTML, as browsers do. */
    uint64_t began_ns; /* Monotonic time when the request came in. */
    uint64_t from_ns;  /* For a route that answers later: a time that it saved at its first call. */
    /* For a route that answers later: the process that makes the answer; ended with the request. */
    struct errand *errand;
    const struct target_list *served;     /* All targets, for a route that is about all of them. */
    const struct source_folders *sources; /* Folders of source files; never NULL in a route. */
    const struct request_counts *counts;  /* Never NULL in a route. */
    struct events *events;                /* Events of all targets; never NULL in a route. */
    uint64_t last_event;                  /* Last event that the client received; 0: none. */
};

/* Returns the value of a parameter; NULL if the request does not have the parameter. */
const char *request_parameter(const struct request *request, const char *name);

/* How a stream with nothing to send pauses its connection, so that no thread has to wait. */
struct stream_line {
    void *connection;
    void (*pause)(void *connection);    /* Only called from within `fill`. */
    void (*resume)(void *connection);   /* Any thread, once after each pause. */
    bool (*has_left)(void *connection); /* Whether the client disconnected. */
};
#define STREAM_PAUSED SIZE_MAX

/* A body that is made while it is sent, in the network thread.  `fill` writes up to `room` bytes
 * and returns their number; 0 at the end; STREAM_PAUSED after it has paused the connection.  A
 * stream must not use the target: another thread works with the target meanwhile. */
struct answer_stream {
    void *state; /* NULL: there is no stream. */
    size_t (*fill)(void *state, char *into, size_t room);
    void (*close)(void *state);
    /* Called once before the first `fill`.  NULL: the stream never pauses. */
    void (*attach)(void *state, struct stream_line line);
    size_t held_bytes; /* Memory that the stream uses until it is closed. */
};

struct answer {
    unsigned status;               /* HTTP status; 0: no answer yet, try again at `again_ns`. */
    const char *type;              /* Content type. */
    const char *name;              /* Name of the file that a browser saves the body as, or NULL. */
    char own_name[FILE_NAME_MOST]; /* Used instead of `name`, unless "". */
    const char *policy;            /* Content-Security-Policy; NULL: nothing may be loaded. */
    char *body;                    /* owned */
    size_t size;
    struct answer_stream stream; /* owned; used instead of `body` */
    uint64_t again_ns;           /* Monotonic time to call the handler again. */
};

#define TYPE_TEXT   "text/plain; charset=utf-8"
#define TYPE_HTML   "text/html; charset=utf-8"
#define TYPE_JSON   "application/json"
#define TYPE_EVENTS "text/event-stream"

void answer_fini(struct answer *answer);

/* Answers with one sentence, without a newline, as text or, if the request wants JSON, as
 * {"error": …}. */
void answer_error(struct answer *answer, const struct request *request, unsigned status,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Makes a body by writing to a FILE: begin, write, finish.  answer_begin returns NULL when out of
 * memory; answer_finish accepts that NULL and answers 503. */
FILE *answer_begin(struct answer *answer);
void answer_finish(struct answer *answer, FILE *out, const char *type);

/* Answers with `body`, which the answer owns from then on. */
void answer_take(struct answer *answer, char *body, size_t size, const char *type);

/* Answers with a stream, which the answer owns from then on. */
void answer_stream(struct answer *answer, struct answer_stream stream, const char *type);

/* Sets no answer yet: the handler is called again after `ns`. */
void answer_later(struct answer *answer, uint64_t ns);
