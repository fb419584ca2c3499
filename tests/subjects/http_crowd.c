/* SPDX-License-Identifier: Apache-2.0 */
/* http_crowd PORT LISTENERS ASKERS ROUNDS SLOW: that many at once listen to events of memoir
 * serve, and ask for a report so many times each, while others send half a request and no more.
 * Ends when all have heard and got what they wanted, or after a minute; says how many did. */
#include "subject.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define MOST     1000
#define PATIENCE 60
#define TAIL     "HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"

enum kind { LISTENS, ASKS, IS_SLOW };

struct one {
    enum kind kind;
    unsigned rounds; /* still to do */
    bool has_begun;  /* the status of the answer is known */
    bool is_told;    /* of growth */
    char last[64];   /* of what it heard: words may come in two pieces */
    size_t last_size;
};

static struct sockaddr_in address;
static struct pollfd polls[MOST];
static struct one crowd[MOST];
static unsigned long answered, refused, broken, told;

static void say_to(int fd, const char *text)
{
    if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
        broken++;
}

static void begin(unsigned i)
{
    static const char *const requests[] = {
        [LISTENS] = "GET /api/events " TAIL,
        [ASKS] = "GET /api/report?by=function&top=5 " TAIL,
        [IS_SLOW] = "GET /api/report HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    };
    int const fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
        say("http_crowd: cannot connect: %s\n", strerror(errno));
        _exit(1);
    }
    say_to(fd, requests[crowd[i].kind]);
    polls[i] = (struct pollfd){fd, POLLIN, 0};
    crowd[i].has_begun = false;
}

static void finish(unsigned i)
{
    struct one *one = &crowd[i];
    broken += one->kind == ASKS && !one->has_begun;
    close(polls[i].fd);
    polls[i].fd = -1;
    one->rounds -= one->rounds > 0;
    if (one->kind == ASKS && one->rounds > 0)
        begin(i);
}

/* Words of the event that all wait for, also across two pieces. */
static bool hears_growth(struct one *one, const char *piece, size_t size)
{
    char text[sizeof(one->last) + 4096];
    memcpy(text, one->last, one->last_size);
    memcpy(text + one->last_size, piece, size);
    size += one->last_size;
    one->last_size = size < sizeof(one->last) ? size : sizeof(one->last);
    memcpy(one->last, text + size - one->last_size, one->last_size);
    return memmem(text, size, "event: grown", 12) != NULL;
}

static void receive(unsigned i)
{
    struct one *one = &crowd[i];
    char piece[4096];
    ssize_t const got = recv(polls[i].fd, piece, sizeof(piece), 0);
    if (got <= 0) {
        finish(i);
        return;
    }
    if (!one->has_begun && one->kind != IS_SLOW) {
        bool const is_good = got > 12 && memcmp(piece + 9, "200", 3) == 0;
        one->has_begun = true;
        answered += is_good;
        refused += !is_good;
    }
    if (one->kind == LISTENS && !one->is_told && hears_growth(one, piece, (size_t)got)) {
        one->is_told = true;
        told++;
    }
}

static bool is_done(unsigned count, unsigned listeners)
{
    unsigned long left = told < listeners;
    for (unsigned i = 0; i < count; i++)
        left += crowd[i].kind == ASKS && crowd[i].rounds > 0;
    return left == 0;
}

int main(int argc, char **argv)
{
    unsigned numbers[5] = {0}, count = 0;
    if (argc != 6)
        return 2;
    for (int i = 0; i < 5; i++)
        numbers[i] = (unsigned)strtoul(argv[i + 1], NULL, 10);
    address = (struct sockaddr_in){.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)numbers[0]),
                                   .sin_addr = {htonl(INADDR_LOOPBACK)}};
    unsigned const wanted[] = {[LISTENS] = numbers[1], [ASKS] = numbers[2], [IS_SLOW] = numbers[4]};
    for (enum kind kind = IS_SLOW + 1; kind-- > LISTENS;)
        for (unsigned i = 0; i < wanted[kind] && count < MOST; i++, count++) {
            crowd[count] = (struct one){.kind = kind, .rounds = kind == ASKS ? numbers[3] : 0};
            begin(count);
        }
    say("there\n");
    time_t const end = time(NULL) + PATIENCE;
    while (!is_done(count, wanted[LISTENS]) && time(NULL) < end) {
        poll(polls, count, 1000);
        for (unsigned i = 0; i < count; i++)
            if (polls[i].fd >= 0 && polls[i].revents)
                receive(i);
    }
    say("answered %lu\nrefused %lu\nbroken %lu\ntold %lu\n", answered, refused, broken, told);
    return 0;
}
