/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_node - a small server to profile: it takes payments over TCP on the loopback address.
 *
 *   PAY from to amount    OK, or NO
 *   BALANCE name          OK amount, or NO such account
 *   BLOCK                 OK height: the payments so far become a block
 *   STATS                 OK accounts=… payments=… rejected=… blocks=… cached=… total=…
 *   QUIT                  BYE, and the connection ends
 *
 * The worker threads share one epoll set; a connection is one-shot in it, so that only one worker
 * at a time serves it.  SIGTERM and SIGINT end the node.  Two things are wrong on purpose, to be
 * found with memoir: the signature cache in ledger.c never forgets, and answer_payment() below
 * leaks. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ledger.h"
#include "parse_number.h"

#define MAX_WORKERS 64
#define MAX_INPUT   (64 * 1024) /* a longer line without its end closes the connection */
#define MAX_NAME    64

struct connection {
    struct connection *next, *previous; /* all open ones, to close them at the end */
    int fd;
    char *input; /* bytes received and not yet answered */
    size_t length, room;
};

struct node {
    struct ledger *ledger;
    int poll_fd, listen_fd, stop_fd;
    pthread_mutex_t lock; /* guards `connections` */
    struct connection *connections;
};

/* ---- connections ---- */

static bool watch(const struct node *node, int operation, struct connection *connection)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.ptr = connection};
    return epoll_ctl(node->poll_fd, operation, connection->fd, &event) == 0;
}

static void connection_close(struct node *node, struct connection *connection)
{
    pthread_mutex_lock(&node->lock);
    if (connection->previous)
        connection->previous->next = connection->next;
    else
        node->connections = connection->next;
    if (connection->next)
        connection->next->previous = connection->previous;
    pthread_mutex_unlock(&node->lock);

    close(connection->fd);
    free(connection->input);
    free(connection);
}

static void connection_open(struct node *node, int fd)
{
    struct connection *connection = calloc(1, sizeof(*connection));
    if (!connection) {
        close(fd);
        return;
    }
    connection->fd = fd;
    pthread_mutex_lock(&node->lock);
    connection->next = node->connections;
    if (node->connections)
        node->connections->previous = connection;
    node->connections = connection;
    pthread_mutex_unlock(&node->lock);
    if (!watch(node, EPOLL_CTL_ADD, connection))
        connection_close(node, connection);
}

static void accept_connections(struct node *node)
{
    int fd, yes = 1;
    while ((fd = accept4(node->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes)); /* answers are short */
        connection_open(node, fd);
    }
}

/* ---- requests ---- */

__attribute__((format(printf, 1, 2))) static char *format_reply(const char *format, ...)
{
    char *reply = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&reply, format, arguments);
    va_end(arguments);
    return length < 0 ? NULL : reply;
}

static char *answer_payment(struct ledger *ledger, const char *line)
{
    char from[MAX_NAME + 1], to[MAX_NAME + 1], digits[MAX_NAME + 1];
    char *reason;
    long amount;

    if (sscanf(line, "PAY %64s %64s %64s", from, to, digits) != 3 ||
        !parse_number(digits, 0, 1000000000, &amount))
        return format_reply("ERROR usage: PAY from to amount\n");
    if (ledger_pay(ledger, from, to, amount, &reason) == 0)
        return format_reply("OK\n");
    return format_reply("NO\n"); /* the leak: nobody reads `reason`, and nobody frees it */
}

static char *answer_balance(struct ledger *ledger, const char *line)
{
    char name[MAX_NAME + 1];
    if (sscanf(line, "BALANCE %64s", name) != 1)
        return format_reply("ERROR usage: BALANCE name\n");
    long long balance = ledger_balance(ledger, name);
    return balance < 0 ? format_reply("NO such account\n") : format_reply("OK %lld\n", balance);
}

static char *answer_stats(struct ledger *ledger)
{
    struct ledger_stats stats = ledger_stats(ledger);
    return format_reply("OK accounts=%llu payments=%llu rejected=%llu blocks=%llu cached=%llu "
                        "total=%lld\n",
                        (unsigned long long)stats.accounts, (unsigned long long)stats.payments,
                        (unsigned long long)stats.rejected, (unsigned long long)stats.blocks,
                        (unsigned long long)stats.cached, (long long)stats.total);
}

static char *answer_request(struct ledger *ledger, const char *line)
{
    if (strncmp(line, "PAY ", 4) == 0)
        return answer_payment(ledger, line);
    if (strncmp(line, "BALANCE ", 8) == 0)
        return answer_balance(ledger, line);
    if (strcmp(line, "BLOCK") == 0)
        return format_reply("OK %llu\n", (unsigned long long)ledger_close_block(ledger));
    if (strcmp(line, "STATS") == 0)
        return answer_stats(ledger);
    if (strcmp(line, "QUIT") == 0)
        return format_reply("BYE\n");
    return format_reply("ERROR unknown request, use PAY, BALANCE, BLOCK, STATS or QUIT\n");
}

/* ---- input and output ---- */

/* False when the peer is gone.  A peer that does not read holds its worker for two seconds at most.
 */
static bool send_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(fd, text, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN) {
            struct timeval limit = {.tv_sec = 2};
            fd_set writable;
            FD_ZERO(&writable);
            FD_SET(fd, &writable);
            if (select(fd + 1, NULL, &writable, NULL, &limit) <= 0)
                return false;
        } else if (sent < 0 && errno != EINTR) {
            return false;
        } else if (sent > 0) {
            text += sent;
            length -= (size_t)sent;
        }
    }
    return true;
}

/* Answers every whole line of the input, and keeps the rest.  False when the connection is over. */
static bool answer_lines(struct node *node, struct connection *connection)
{
    char *line = connection->input, *end = line + connection->length, *newline;
    bool alive = true;

    while (alive && (newline = memchr(line, '\n', (size_t)(end - line)))) {
        *newline = '\0';
        char *reply = answer_request(node->ledger, line);
        alive =
            reply && send_all(connection->fd, reply, strlen(reply)) && strcmp(line, "QUIT") != 0;
        free(reply);
        line = newline + 1;
    }
    connection->length = (size_t)(end - line);
    memmove(connection->input, line, connection->length);
    return alive;
}

static bool make_room(struct connection *connection)
{
    if (connection->length < connection->room)
        return true;
    size_t room = connection->room ? connection->room * 2 : 1024;
    char *input = room <= MAX_INPUT ? realloc(connection->input, room) : NULL;
    if (!input)
        return false;
    connection->input = input;
    connection->room = room;
    return true;
}

static void serve_connection(struct node *node, struct connection *connection)
{
    for (;;) {
        if (!make_room(connection))
            break;
        ssize_t got = recv(connection->fd, connection->input + connection->length,
                           connection->room - connection->length, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN && watch(node, EPOLL_CTL_MOD, connection))
            return;
        if (got <= 0)
            break;
        connection->length += (size_t)got;
        if (!answer_lines(node, connection))
            break;
    }
    connection_close(node, connection);
}

/* ---- workers ---- */

static void *worker_main(void *argument)
{
    struct node *node = argument;
    struct epoll_event event;

    for (;;) {
        if (epoll_wait(node->poll_fd, &event, 1, -1) != 1)
            continue; /* EINTR */
        if (event.data.ptr == &node->stop_fd)
            return NULL;
        if (event.data.ptr == &node->listen_fd)
            accept_connections(node);
        else
            serve_connection(node, event.data.ptr);
    }
}

static int run_workers(struct node *node, int worker_count)
{
    pthread_t workers[MAX_WORKERS];
    int started = 0, signal_number = 0;
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL); /* before the workers start: they inherit it */
    while (started < worker_count &&
           pthread_create(&workers[started], NULL, worker_main, node) == 0)
        started++;
    if (started == worker_count)
        sigwait(&signals, &signal_number);
    eventfd_write(node->stop_fd, 1); /* stays readable: every worker sees it */
    for (int i = 0; i < started; i++)
        pthread_join(workers[i], NULL);
    return started == worker_count ? 0 : -1;
}

/* ---- start and end ---- */

static bool node_open(struct node *node, uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    struct epoll_event listening = {.events = EPOLLIN, .data.ptr = &node->listen_fd};
    struct epoll_event stopping = {.events = EPOLLIN, .data.ptr = &node->stop_fd};
    int yes = 1;

    pthread_mutex_init(&node->lock, NULL);
    node->poll_fd = epoll_create1(EPOLL_CLOEXEC);
    node->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    node->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (setsockopt(node->listen_fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
        bind(node->listen_fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
        listen(node->listen_fd, SOMAXCONN) < 0 ||
        getsockname(node->listen_fd, (struct sockaddr *)&address, &size) < 0 ||
        epoll_ctl(node->poll_fd, EPOLL_CTL_ADD, node->listen_fd, &listening) < 0 ||
        epoll_ctl(node->poll_fd, EPOLL_CTL_ADD, node->stop_fd, &stopping) < 0)
        return false;
    printf("ledger-node: pid %d listens on 127.0.0.1 port %d\n", getpid(), ntohs(address.sin_port));
    fflush(stdout);
    return true;
}

static void node_close(struct node *node)
{
    while (node->connections)
        connection_close(node, node->connections);
    close(node->listen_fd);
    close(node->stop_fd);
    close(node->poll_fd);
    pthread_mutex_destroy(&node->lock);
    ledger_destroy(node->ledger);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"port", required_argument, NULL, 'p'}, {"workers", required_argument, NULL, 'w'}, {0}};
    long port = 0, workers = 4;
    bool understood = true;

    for (int option; (option = getopt_long(argc, argv, "p:w:", options, NULL)) != -1;)
        understood &= option == 'p'   ? parse_number(optarg, 0, 65535, &port)
                      : option == 'w' ? parse_number(optarg, 1, MAX_WORKERS, &workers)
                                      : false;
    if (!understood || optind != argc) {
        fprintf(stderr, "usage: ledger-node [--port N] [--workers 1..%d]\n", MAX_WORKERS);
        return 2;
    }
    struct node node = {.ledger = ledger_create()};
    if (!node.ledger || !node_open(&node, (uint16_t)port)) {
        fprintf(stderr, "ledger-node: cannot listen on port %ld: %s\n", port, strerror(errno));
        return 1;
    }
    int err = run_workers(&node, (int)workers);
    node_close(&node);
    return err ? 1 : 0;
}
