/* little_server.h - an HTTP server for tests, in threads of its own, on a free loopback port or
 * a Unix socket.
 *
 * What it does is in the path: /ok (200, "hello"), /echo (method, headers and body of the
 * request, in the answer), /bad (401, "Invalid API Token"), /tells (403, the request's
 * Authorization header), /gzip (a gzip-encoded "packed"), /never (reads and says nothing),
 * /endless (a body without an end, slowly), /huge (8 MiB of zeros), /cut (ends in the middle of
 * the body), /nonsense (no HTTP), /elsewhere (302 to /echo), /close (200, and closes the
 * connection). */
#pragma once

#include <stdint.h>

struct little_server;

struct little_server *little_server_start(const char *socket_path); /* NULL: TCP */
uint16_t little_server_port(const struct little_server *server);
unsigned little_server_connections(const struct little_server *server); /* ever accepted */
/* Ends it and all its connections. */
void little_server_stop(struct little_server *server);
