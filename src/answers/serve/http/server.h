/* server.h - the HTTP server, with libmicrohttpd: accepts connections, checks requests, calls their
 * route, sends the answer.
 *
 * It has two threads: one for the network, one for the work (see routes.h).  All that a client can
 * cause is bounded: connections, size of a request, time to send a request and to receive the
 * answer, answers in progress. */
#pragma once

#include <stdbool.h>

#include "serve/http/listen_address.h"
#include "serve/routes/routes.h"
#include "serve/content/source_file.h"
#include "serve/targets/target_list.h"

#define SERVER_HOSTS_MOST 8

struct server_options {
    struct listen_address address;
    const char *token; /* Token that lets a request in; NULL: there is none. */
    /* Whether requests of our own user and of root, on this machine, need no token.  Without this
     * and a token, nobody is let in. */
    bool trusts_own_user;
    const char *allow_origin; /* The one origin whose pages may read answers; NULL: none. */
    /* Whether clients on other machines may see addresses of the watched program. */
    bool show_addresses;
    /* Folders whose source files may be shown.  If there is none, files that every user of this
     * machine may read are shown. */
    struct source_folders sources;
    /* Names allowed in the Host header, besides those of loopback. */
    const char *hosts[SERVER_HOSTS_MOST];
    size_t host_count;
};

struct server;

/* Listens, and starts no thread yet: what comes waits.  NULL with a sentence on failure.  What the
 * options point to must outlive the server. */
struct server *server_listen(const struct server_options *options, struct fault *fault);
/* Begins to answer.  Returns 0 or -errno with a sentence.  The targets must outlive the server. */
int server_start(struct server *server, struct target_list *targets, struct fault *fault);
/* Returns the address that the server listens on, with the real port. */
const struct listen_address *server_address(const struct server *server);
/* Call it about every second: closes connections that take too long, and starts background jobs. */
void server_tend(struct server *server);
/* Answers the requests in progress, closes all connections and frees the server.
 * NULL is allowed. */
void server_stop(struct server *server);
