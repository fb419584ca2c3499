/* SPDX-License-Identifier: Apache-2.0 */
#include "little_server.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define CLIENTS_MOST 256
#define HUGE_BYTES   (8u << 20)

struct little_server {
    int listener;
    uint16_t port;
    pthread_t acceptor;
    pthread_t clients[CLIENTS_MOST];
    int fds[CLIENTS_MOST];
    atomic_uint count;
};

struct client {
    struct little_server *server;
    int fd;
};

static bool put(int fd, const void *data, size_t size)
{
    const char *at = data;
    while (size) {
        ssize_t const sent = send(fd, at, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

static bool answer(int fd, const char *status, const char *more, const void *body, size_t size)
{
    char head[512];
    int const length = snprintf(head, sizeof(head), "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n",
                                status, more, size);
    return put(fd, head, (size_t)length) && put(fd, body, size);
}

static bool answer_endless(int fd)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    bool goes_on = put(fd, head, sizeof(head) - 1);
    while (goes_on) {
        goes_on = put(fd, "1\r\nx\r\n", 6);
        usleep(1000);
    }
    return false;
}

static bool answer_huge(int fd)
{
    char *zeros = calloc(1, HUGE_BYTES);
    bool const sent = zeros && answer(fd, "200 OK", "", zeros, HUGE_BYTES);
    free(zeros);
    return sent;
}

/* printf packed | gzip -n */
static const unsigned char packed[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                                       0x03, 0x2b, 0x48, 0x4c, 0xce, 0x4e, 0x4d, 0x01, 0x00,
                                       0x10, 0xb4, 0xf6, 0x21, 0x06, 0x00, 0x00, 0x00};

/* `request` is all of it, body included.  Whether the connection goes on. */
static bool serve(int fd, const char *request)
{
    const char *path = strchr(request, ' ');
    static const char type[] = "Content-Type: text/plain\r\n";
    char nothing[256];

#define IS(name) (strncmp(path + 1, name " ", strlen(name) + 1) == 0)
    if (!path)
        return false;
    if (IS("/ok"))
        return answer(fd, "200 OK", type, "hello", 5);
    if (IS("/echo"))
        return answer(fd, "200 OK", type, request, strlen(request));
    if (IS("/bad"))
        return answer(fd, "401 Unauthorized", type, "Invalid API Token", 17);
    if (IS("/tells")) {
        const char *told = strcasestr(request, "Authorization:");
        return answer(fd, "403 Forbidden", type, told ? told : "", told ? strcspn(told, "\r") : 0);
    }
    if (IS("/gzip"))
        return answer(fd, "200 OK", "Content-Encoding: gzip\r\n", packed, sizeof(packed));
    if (IS("/never")) {
        while (recv(fd, nothing, sizeof(nothing), 0) > 0)
            ;
        return false;
    }
    if (IS("/endless"))
        return answer_endless(fd);
    if (IS("/huge"))
        return answer_huge(fd);
    if (IS("/cut"))
        return put(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", 44) && false;
    if (IS("/nonsense"))
        return put(fd, "I am no web server\r\n\r\n", 22) && false;
    if (IS("/elsewhere"))
        return answer(fd, "302 Found", "Location: /echo\r\n", "", 0);
    if (IS("/close"))
        return answer(fd, "200 OK", "Connection: close\r\n", "bye", 3) && false;
#undef IS
    return answer(fd, "404 Not Found", type, "no such page", 12);
}

static void *serve_client(void *context)
{
    struct client const client = *(struct client *)context;
    char request[8192];
    size_t have = 0;
    bool goes_on = true;

    free(context);
    while (goes_on) {
        ssize_t const got = recv(client.fd, request + have, sizeof(request) - 1 - have, 0);
        if (got <= 0)
            break;
        have += (size_t)got;
        request[have] = '\0';
        const char *end = strstr(request, "\r\n\r\n");
        if (!end)
            continue;
        const char *length = strcasestr(request, "\r\nContent-Length:");
        size_t const body = length ? strtoul(length + 17, NULL, 10) : 0;
        if (have < (size_t)(end + 4 - request) + body)
            continue;
        have = 0;
        goes_on = serve(client.fd, request);
    }
    shutdown(client.fd, SHUT_RDWR);
    return NULL;
}

static void *accept_clients(void *context)
{
    struct little_server *server = context;

    for (;;) {
        int const fd = accept(server->listener, NULL, NULL);
        unsigned const at = server->count;
        struct client *client = malloc(sizeof(*client));
        if (fd < 0 || at == CLIENTS_MOST || !client) {
            free(client);
            return NULL;
        }
        *client = (struct client){server, fd};
        server->fds[at] = fd;
        if (pthread_create(&server->clients[at], NULL, serve_client, client))
            abort();
        server->count++;
    }
}

struct little_server *little_server_start(const char *socket_path)
{
    struct little_server *server = calloc(1, sizeof(*server));
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    socklen_t size = sizeof(address);

    if (!server)
        abort();
    if (socket_path)
        snprintf(path.sun_path, sizeof(path.sun_path), "%s", socket_path);
    server->listener = socket(socket_path ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(server->listener, socket_path ? (void *)&path : (void *)&address,
             socket_path ? sizeof(path) : sizeof(address)) ||
        listen(server->listener, 64))
        abort();
    if (!socket_path) {
        getsockname(server->listener, (struct sockaddr *)&address, &size);
        server->port = ntohs(address.sin_port);
    }
    if (pthread_create(&server->acceptor, NULL, accept_clients, server))
        abort();
    return server;
}

uint16_t little_server_port(const struct little_server *server)
{
    return server->port;
}

unsigned little_server_connections(const struct little_server *server)
{
    return server->count;
}

void little_server_stop(struct little_server *server)
{
    shutdown(server->listener, SHUT_RDWR);
    pthread_join(server->acceptor, NULL);
    close(server->listener);
    for (unsigned i = 0; i < server->count; i++) {
        shutdown(server->fds[i], SHUT_RDWR);
        pthread_join(server->clients[i], NULL);
        close(server->fds[i]);
    }
    free(server);
}
