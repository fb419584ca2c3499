/* SPDX-License-Identifier: Apache-2.0 */
/* many_nodes.c - one server that is many nodes: every address of 127.0.0.0/8 at one port.
 *
 *     many_nodes PORT [DELAY_MS [HEAP_BYTES [METRICS_BYTES]]]
 *
 * Answers /metrics with text, any other path with bytes that cannot be packed, after DELAY_MS;
 * connections are kept. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct client {
    int fd;
    char request[4096];
    size_t have;
    const char *answer; /* what is left to send */
    size_t left;
    uint64_t due_ms;     /* 0: nothing is asked */
    struct client *next; /* in the order they are due: the delay is the same for all */
};

static int events;
static uint64_t delay_ms;
static struct client *first_due, **last_due = &first_due;
static char *heap_answer, *metrics_answer;
static size_t heap_size, metrics_size;

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

static char *make_answer(size_t body, const char *type, size_t *size)
{
    char head[200];
    int const length =
        snprintf(head, sizeof(head),
                 "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n", type, body);
    char *answer = malloc((size_t)length + body + 100);
    size_t at = (size_t)length;
    if (!answer)
        abort();
    memcpy(answer, head, at);
    uint64_t random = 88172645463325252u;
    bool const is_text = strcmp(type, "text/plain") == 0;
    for (unsigned i = 0; at < (size_t)length + body; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        if (is_text)
            at += (size_t)sprintf(answer + at, "metric_%u_total{peer=\"%u\"} %llu\n", i / 8, i % 8,
                                  (unsigned long long)random % 1000000u);
        else
            answer[at++] = (char)random;
    }
    *size = (size_t)length + body;
    answer[*size - 1] = '\n';
    return answer;
}

static void forget(struct client *client)
{
    close(client->fd);
    if (client->due_ms) /* is in the queue: freed there */
        client->fd = -1;
    else
        free(client);
}

static void send_some(struct client *client)
{
    while (client->left) {
        ssize_t const sent = send(client->fd, client->answer, client->left, MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN) {
            epoll_ctl(events, EPOLL_CTL_MOD, client->fd,
                      &(struct epoll_event){.events = EPOLLOUT, .data.ptr = client});
            return;
        }
        if (sent <= 0) {
            forget(client);
            return;
        }
        client->answer += sent;
        client->left -= (size_t)sent;
    }
    epoll_ctl(events, EPOLL_CTL_MOD, client->fd,
              &(struct epoll_event){.events = EPOLLIN, .data.ptr = client});
}

static void answer_due(uint64_t now)
{
    while (first_due && first_due->due_ms <= now) {
        struct client *client = first_due;
        first_due = client->next;
        if (!first_due)
            last_due = &first_due;
        client->due_ms = 0;
        if (client->fd < 0)
            free(client);
        else
            send_some(client);
    }
}

static void receive(struct client *client)
{
    ssize_t const got = recv(client->fd, client->request + client->have,
                             sizeof(client->request) - 1 - client->have, 0);
    if (got <= 0) {
        if (got == 0 || errno != EAGAIN)
            forget(client);
        return;
    }
    client->have += (size_t)got;
    client->request[client->have] = '\0';
    if (!strstr(client->request, "\r\n\r\n"))
        return;
    bool const is_metrics = strncmp(client->request, "GET /metrics ", 13) == 0;
    client->have = 0;
    client->answer = is_metrics ? metrics_answer : heap_answer;
    client->left = is_metrics ? metrics_size : heap_size;
    client->due_ms = now_ms() + delay_ms;
    client->next = NULL;
    *last_due = client;
    last_due = &client->next;
}

static void accept_clients(int listener)
{
    for (;;) {
        int const fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
        struct client *client = fd < 0 ? NULL : calloc(1, sizeof(*client));
        if (!client)
            return;
        client->fd = fd;
        epoll_ctl(events, EPOLL_CTL_ADD, fd,
                  &(struct epoll_event){.events = EPOLLIN, .data.ptr = client});
    }
}

int main(int argc, char **argv)
{
    struct rlimit limit;
    struct epoll_event ready[256];
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)atoi(argc > 1 ? argv[1] : "0"))};
    int const listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (argc < 2 || bind(listener, (struct sockaddr *)&address, sizeof(address)) ||
        listen(listener, 4096)) {
        fprintf(stderr, "many_nodes PORT [DELAY_MS [HEAP_BYTES [METRICS_BYTES]]]\n");
        return 2;
    }
    delay_ms = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    heap_answer = make_answer(argc > 3 ? strtoul(argv[3], NULL, 10) : 50000,
                              "application/octet-stream", &heap_size);
    metrics_answer =
        make_answer(argc > 4 ? strtoul(argv[4], NULL, 10) : 25000, "text/plain", &metrics_size);
    events = epoll_create1(0);
    epoll_ctl(events, EPOLL_CTL_ADD, listener, &(struct epoll_event){.events = EPOLLIN});
    for (;;) {
        uint64_t const now = now_ms();
        int const wait = !first_due                ? -1
                         : first_due->due_ms > now ? (int)(first_due->due_ms - now)
                                                   : 0;
        int const count = epoll_wait(events, ready, 256, wait);
        for (int i = 0; i < count; i++)
            if (!ready[i].data.ptr)
                accept_clients(listener);
            else if (ready[i].events & EPOLLOUT)
                send_some(ready[i].data.ptr);
            else
                receive(ready[i].data.ptr);
        answer_due(now_ms());
    }
}
