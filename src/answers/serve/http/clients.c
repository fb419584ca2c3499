/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/clients.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "serve/http/exchange.h"

struct client {
    struct client *next, *previous;
    int fd;
    struct socket_owner owner;
    const char *line_end;
    enum client_stage stage;
    uint64_t since_ns;
};

struct clients {
    pthread_mutex_t lock;
    struct client ring; /* its `next` is the first */
};

struct clients *clients_create(void)
{
    struct clients *clients = calloc(1, sizeof(*clients));
    if (!clients)
        return NULL;
    pthread_mutex_init(&clients->lock, NULL);
    clients->ring.next = clients->ring.previous = &clients->ring;
    return clients;
}

void clients_destroy(struct clients *clients)
{
    if (!clients)
        return;
    while (clients->ring.next != &clients->ring)
        client_remove(clients, clients->ring.next);
    pthread_mutex_destroy(&clients->lock);
    free(clients);
}

struct client *client_add(struct clients *clients, int fd, struct socket_owner owner)
{
    struct client *client = calloc(1, sizeof(*client));
    if (!client)
        return NULL;
    client->fd = fd;
    client->owner = owner;
    client->since_ns = monotonic_ns();
    pthread_mutex_lock(&clients->lock);
    client->next = &clients->ring;
    client->previous = clients->ring.previous;
    client->previous->next = clients->ring.previous = client;
    pthread_mutex_unlock(&clients->lock);
    return client;
}

void client_remove(struct clients *clients, struct client *client)
{
    if (!client)
        return;
    pthread_mutex_lock(&clients->lock);
    client->previous->next = client->next;
    client->next->previous = client->previous;
    pthread_mutex_unlock(&clients->lock);
    free(client);
}

struct socket_owner client_owner(const struct client *client)
{
    return client ? client->owner : (struct socket_owner){.is_local = false};
}

void client_set_line_end(struct client *client, const char *end)
{
    if (client)
        client->line_end = end;
}

const char *client_line_end(const struct client *client)
{
    return client ? client->line_end : NULL;
}

struct stranger_count clients_count_strangers(struct clients *clients, struct socket_owner owner)
{
    struct stranger_count count = {0, 0};
    pthread_mutex_lock(&clients->lock);
    for (struct client *client = clients->ring.next; client != &clients->ring;
         client = client->next) {
        count.of_all += !client->owner.is_own;
        count.of_one += !client->owner.is_own && client->owner.client == owner.client;
    }
    pthread_mutex_unlock(&clients->lock);
    return count;
}

void client_set_stage(struct clients *clients, struct client *client, enum client_stage stage)
{
    if (!client)
        return;
    pthread_mutex_lock(&clients->lock);
    client->stage = stage;
    client->since_ns = monotonic_ns();
    pthread_mutex_unlock(&clients->lock);
}

bool clients_are_served(struct clients *clients)
{
    bool found = false;
    pthread_mutex_lock(&clients->lock);
    for (struct client *client = clients->ring.next; client != &clients->ring && !found;
         client = client->next)
        found = client->stage != CLIENT_ASKS;
    pthread_mutex_unlock(&clients->lock);
    return found;
}

void clients_cut(struct clients *clients, uint64_t asks_ns, uint64_t listens_ns)
{
    uint64_t const now = monotonic_ns();
    pthread_mutex_lock(&clients->lock);
    for (struct client *client = clients->ring.next; client != &clients->ring;
         client = client->next) {
        uint64_t const limit = client->stage == CLIENT_ASKS      ? asks_ns
                               : client->stage == CLIENT_LISTENS ? listens_ns
                                                                 : UINT64_MAX;
        /* The network thread sees the end and closes the socket; `fd` stays valid until the
         * client is removed. */
        if (now > client->since_ns && now - client->since_ns > limit)
            shutdown(client->fd, SHUT_RDWR);
    }
    pthread_mutex_unlock(&clients->lock);
}
