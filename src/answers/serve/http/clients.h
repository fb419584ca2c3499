/* clients.h - the connections there are, and since when each has been doing what it does, so that nobody can hold
 * one for ever by sending or taking a byte now and then.
 *
 * Any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct clients;
struct client;

struct clients *clients_create(void); /* NULL when out of memory */
void clients_destroy(struct clients *clients);

struct client *client_add(struct clients *clients, int fd); /* NULL when out of memory */
void client_remove(struct clients *clients, struct client *client);

enum client_stage {
    CLIENT_ASKS,    /* has not sent a whole request yet */
    CLIENT_WAITS,   /* for us; no limit */
    CLIENT_LISTENS, /* takes the answer */
    CLIENT_FOLLOWS  /* takes one without end; whoever sends it knows when it is too slow */
};
void client_set_stage(struct clients *clients, struct client *client, enum client_stage stage);

/* Whether anybody still waits for an answer or takes one. */
bool clients_are_served(struct clients *clients);

/* Ends the connections of those who are too long at asking or listening. */
void clients_cut(struct clients *clients, uint64_t asks_ns, uint64_t listens_ns);
