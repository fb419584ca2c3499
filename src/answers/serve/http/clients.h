/* clients.h - the open connections, and how long each has been in its stage.
 *
 * Limits per stage stop a client from holding a connection for ever by sending or reading a byte
 * now and then.  Any thread may call these functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serve/http/socket_owner.h"

struct clients;
struct client;

struct clients *clients_create(void); /* NULL when out of memory */
void clients_destroy(struct clients *clients);

/* Adds the connection of socket `fd`.  NULL when out of memory. */
struct client *client_add(struct clients *clients, int fd, struct socket_owner owner);
void client_remove(struct clients *clients, struct client *client);

/* Who is at the other end; nobody that we know for NULL. */
struct socket_owner client_owner(const struct client *client);

/* Where the text of the line of the request at hand ends, in memory of the HTTP library's: at its
 * first NUL, sent or as "%00".  In the network thread; NULL for no client, or before a line. */
void client_set_line_end(struct client *client, const char *end);
const char *client_line_end(const struct client *client);

/* Connections that are not of our own user: `of_one` those of the owner, `of_all` all of them. */
struct stranger_count {
    size_t of_one, of_all;
};
struct stranger_count clients_count_strangers(struct clients *clients, struct socket_owner owner);

enum client_stage {
    CLIENT_ASKS,    /* The client has not sent a whole request yet. */
    CLIENT_WAITS,   /* The client waits for the server; no time limit. */
    CLIENT_LISTENS, /* The client receives the answer. */
    CLIENT_FOLLOWS  /* The client receives an endless stream, whose sender ends slow clients. */
};
/* Sets the stage and restarts its time. */
void client_set_stage(struct clients *clients, struct client *client, enum client_stage stage);

/* Returns whether any client waits for an answer or receives one. */
bool clients_are_served(struct clients *clients);

/* Shuts down the connections that have been in CLIENT_ASKS for longer than `asks_ns`, or in
 * CLIENT_LISTENS for longer than `listens_ns`. */
void clients_cut(struct clients *clients, uint64_t asks_ns, uint64_t listens_ns);
