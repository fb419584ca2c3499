/* server.h - HTTP, by libmicrohttpd: takes connections, checks requests, finds their route, sends the answer.
 *
 * Two threads of its own: one for the network, one for the work (see routes.h).  Whatever a stranger can make it do is
 * bounded: connections, bytes of a request, the time for sending one and for taking the answer, answers being made. */
#pragma once

#include <stdbool.h>

#include "serve/http/listen_address.h"
#include "serve/routes/routes.h"
#include "serve/content/source_file.h"
#include "serve/targets/target_list.h"

#define SERVER_HOSTS_MOST 8

struct server_options {
    struct listen_address address;
    const char *token;        /* every request must have it; NULL: none needed */
    const char *allow_origin; /* the one origin whose pages may read us; NULL: none */
    bool show_addresses;      /* of the watched program, also to others than this machine */
    struct source_folders
        sources; /* from where sources may be shown; none: what everybody here may read */
    const char
        *hosts[SERVER_HOSTS_MOST]; /* names that a request may call us by, besides loopback's */
    size_t host_count;
};

struct server;

/* Listens from here on.  NULL with a sentence.  The targets and what the options point to must outlive it. */
struct server *server_start(const struct server_options *options, struct target_list *targets,
                            struct fault *fault);
/* Where it listens, with the port it got. */
const struct listen_address *server_address(const struct server *server);
/* Call it about every second: cuts off those who take too long. */
void server_tend(struct server *server);
/* Requests being answered get an answer; then all is closed.  NULL is allowed. */
void server_stop(struct server *server);
