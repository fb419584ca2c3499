/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_load - drives a ledger-node: the same requests every time, over several connections.
 *
 * Each connection pays between accounts of its own, so what the ledger answers does not depend on
 * who comes first.  Of every 16 requests 11 are payments that the payer can nearly always make, one
 * is far too large and is refused, and four ask for a balance; every 1000th closes a block. */
#include <arpa/inet.h>
#include <getopt.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "parse_number.h"

#define MAX_CONNECTIONS 256
#define BATCH           32  /* requests sent before their answers are read */
#define ACCOUNTS        500 /* per connection */

struct load {
    long port, requests, seconds, connections,
        rate; /* rate: requests per second of all, 0: no limit */
    struct timespec start;
};

struct client {
    const struct load *load;
    pthread_t thread;
    int number;
    uint64_t random;
    long quota, sent, paid, refused; /* quota: how many requests to send, when not by time */
    bool failed;
};

static uint32_t next_random(struct client *client)
{
    client->random = client->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(client->random >> 33);
}

/* Two streams of one socket: a stream that both reads and writes wants to seek in between. */
struct wire {
    FILE *requests, *answers;
};

static void hang_up(struct wire *wire)
{
    if (wire->requests)
        fclose(wire->requests);
    if (wire->answers)
        fclose(wire->answers);
}

static bool dial(long port, struct wire *wire)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    *wire = (struct wire){0};
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
        close(fd);
        return false;
    }
    wire->requests = fdopen(fd, "w");
    wire->answers = fdopen(dup(fd), "r");
    return wire->requests && wire->answers;
}

static void write_request(struct client *client, FILE *requests)
{
    long index = client->sent++;
    uint32_t from = next_random(client) % ACCOUNTS, to = next_random(client) % ACCOUNTS;
    uint32_t amount = 1 + next_random(client) % 40;

    if (index % 1000 == 999)
        fprintf(requests, "BLOCK\n");
    else if (index % 16 >= 12)
        fprintf(requests, "BALANCE user-%d-%u\n", client->number, from);
    else if (index % 16 == 11)
        fprintf(requests, "PAY user-%d-%u user-%d-%u %u\n", client->number, from, client->number,
                to, 1000000 + amount);
    else
        fprintf(requests, "PAY user-%d-%u user-%d-%u %u\n", client->number, from, client->number,
                to, amount);
}

/* False when the node hung up or answered something that is not an answer. */
static bool read_answer(struct client *client, FILE *answers)
{
    char answer[256];
    if (!fgets(answer, sizeof(answer), answers))
        return false;
    if (strcmp(answer, "OK\n") == 0)
        client->paid++;
    else if (strcmp(answer, "NO\n") == 0)
        client->refused++;
    return strncmp(answer, "OK", 2) == 0 || strncmp(answer, "NO", 2) == 0;
}

static double seconds_since(struct timespec start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) / 1e9;
}

static bool wants_more(const struct client *client)
{
    if (client->load->seconds)
        return seconds_since(client->load->start) < (double)client->load->seconds;
    return client->sent < client->quota;
}

static void keep_to_rate(const struct client *client)
{
    const struct load *load = client->load;
    if (load->rate == 0)
        return;
    double due = (double)client->sent * (double)load->connections / (double)load->rate;
    double early = due - seconds_since(load->start);
    if (early > 0) {
        struct timespec pause = {.tv_sec = (time_t)early};
        pause.tv_nsec = (long)((early - (double)pause.tv_sec) * 1e9);
        nanosleep(&pause, NULL);
    }
}

static bool exchange_batch(struct client *client, struct wire *wire)
{
    int sent = 0;
    while (sent < BATCH && (client->load->seconds || client->sent < client->quota)) {
        write_request(client, wire->requests);
        sent++;
    }
    if (fflush(wire->requests) != 0)
        return false;
    while (sent-- > 0)
        if (!read_answer(client, wire->answers))
            return false;
    return true;
}

static void *client_main(void *argument)
{
    struct client *client = argument;
    struct wire wire;

    client->failed = !dial(client->load->port, &wire);
    while (!client->failed && wants_more(client)) {
        client->failed = !exchange_batch(client, &wire);
        keep_to_rate(client);
    }
    hang_up(&wire);
    return NULL;
}

/* Prints the node's own figures, so that both sides can be compared. */
static bool print_stats(long port)
{
    char answer[512];
    struct wire wire;
    bool answered = dial(port, &wire) && fputs("STATS\n", wire.requests) >= 0 &&
                    fflush(wire.requests) == 0 && fgets(answer, sizeof(answer), wire.answers);
    if (answered)
        printf("node: %s", answer);
    hang_up(&wire);
    return answered;
}

static int drive(struct load *load)
{
    static struct client clients[MAX_CONNECTIONS];
    long sent = 0, paid = 0, refused = 0, broken = 0;
    int started = 0;

    clock_gettime(CLOCK_MONOTONIC, &load->start);
    for (; started < load->connections; started++) {
        struct client *client = &clients[started];
        *client = (struct client){.load = load, .number = started, .random = (uint64_t)started + 1};
        client->quota =
            load->requests / load->connections + (started < load->requests % load->connections);
        if (pthread_create(&client->thread, NULL, client_main, client) != 0)
            break;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(clients[i].thread, NULL);
        sent += clients[i].sent;
        paid += clients[i].paid;
        refused += clients[i].refused;
        broken += clients[i].failed;
    }
    broken += load->connections - started;
    printf("load: requests=%ld paid=%ld refused=%ld seconds=%.1f\n", sent, paid, refused,
           seconds_since(load->start));
    if (broken || !print_stats(load->port)) {
        fprintf(stderr, "ledger-load: %ld of %ld connections broke; is the node on port %ld?\n",
                broken, load->connections, load->port);
        return 1;
    }
    return 0;
}

static bool parse_option(struct load *load, int option)
{
    switch (option) {
    case 'p':
        return parse_number(optarg, 1, 65535, &load->port);
    case 'n':
        return parse_number(optarg, 1, 1000000000, &load->requests);
    case 's':
        return parse_number(optarg, 1, 1000000, &load->seconds);
    case 'c':
        return parse_number(optarg, 1, MAX_CONNECTIONS, &load->connections);
    case 'r':
        return parse_number(optarg, 1, 1000000000, &load->rate);
    default:
        return false;
    }
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"port", required_argument, NULL, 'p'},        {"requests", required_argument, NULL, 'n'},
        {"seconds", required_argument, NULL, 's'},     {"rate", required_argument, NULL, 'r'},
        {"connections", required_argument, NULL, 'c'}, {0}};
    struct load load = {.requests = 10000, .connections = 4};
    bool understood = true;

    for (int option; (option = getopt_long(argc, argv, "p:n:s:c:r:", options, NULL)) != -1;)
        understood &= parse_option(&load, option);
    if (!understood || optind != argc || load.port == 0) {
        fprintf(stderr,
                "usage: ledger-load --port N [--requests N | --seconds N] [--rate N] "
                "[--connections 1..%d]\n",
                MAX_CONNECTIONS);
        return 2;
    }
    return drive(&load);
}
