/* SPDX-License-Identifier: Apache-2.0 */
/* http_strangers PORT: what strangers send to memoir serve, byte by byte.  Prints one line per
 * case, as system tests do. */
#include "subject.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define HOST      "Host: 127.0.0.1\r\n"
#define CLOSE     "Connection: close\r\n\r\n"
#define GET(path) "GET " path " HTTP/1.1\r\n" HOST CLOSE
#define IDLE      700
#define CROWD     200

static struct sockaddr_in address;

/* Bytes to send; grows as needed. */
struct text {
    char *data;
    size_t size;
};

static void add(struct text *text, const void *data, size_t size)
{
    text->data = realloc(text->data, text->size + size + 1);
    if (!text->data)
        abort();
    memcpy(text->data + text->size, data, size);
    text->size += size;
}

static struct text text_of(const char *words)
{
    struct text text = {NULL, 0};
    add(&text, words, strlen(words));
    return text;
}

/* `before`, `piece` so many times, `after`. */
static struct text repeated(const char *before, const char *piece, int times, const char *after)
{
    struct text text = text_of(before);
    while (times-- > 0)
        add(&text, piece, strlen(piece));
    add(&text, after, strlen(after));
    return text;
}

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static void nap(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

static void set_patience(int fd, double seconds)
{
    struct timeval time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e6)};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
}

static int dial(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    set_patience(fd, 20);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
        return fd;
    close(fd);
    return -1;
}

/* False when it was closed before all was sent. */
static bool send_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        data += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* The status of the answer to some bytes, or what there is instead of one. */
static const char *ask(const char *data, size_t size)
{
    static char status[4];
    char answer[4096], rest[65536];
    size_t got = 0;
    int fd = dial();
    if (fd < 0)
        return "no connection";
    if (send_all(fd, data, size))
        shutdown(fd, SHUT_WR);
    for (ssize_t piece; got < 12 && (piece = recv(fd, answer + got, sizeof(answer) - got, 0)) > 0;)
        got += (size_t)piece;
    while (recv(fd, rest, sizeof(rest), 0) > 0)
        ;
    close(fd);
    if (got == 0)
        return "closed";
    if (got < 12 || memcmp(answer, "HTTP/", 5) != 0)
        return "nonsense";
    memcpy(status, answer + 9, 3);
    return status;
}

static bool is_well(void)
{
    return strcmp(ask(GET("/healthz"), strlen(GET("/healthz"))), "200") == 0;
}

/* Sends `request` and frees it; one of the words of `expected` must come back, and others must
 * still be served. */
static void check(const char *name, struct text request, const char *expected)
{
    char status[32];
    snprintf(status, sizeof(status), "%s", ask(request.data ? request.data : "", request.size));
    if (!strstr(expected, status))
        say("not ok %s: expected %s, got %s\n", name, expected, status);
    else if (!is_well())
        say("not ok %s: the server does not answer afterwards\n", name);
    else
        say("ok %s\n", name);
    free(request.data);
}

static void wrong_names(void)
{
    struct text odd = text_of("GET /metrics HTTP/1.1\r\nHost: localhost");
    check("plain", text_of(GET("/healthz")), "200");
    check("wrong-host", text_of("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n" CLOSE), "421");
    check("wrong-host-that-looks-right",
          text_of("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\n" CLOSE), "421");
    check("no-host", text_of("GET /metrics HTTP/1.1\r\n" CLOSE), "400 421");
    check("no-host-1.0", text_of("GET /metrics HTTP/1.0\r\n" CLOSE), "421");
    check("two-hosts", text_of("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n" HOST CLOSE),
          "400 421");
    add(&odd, "\0.evil\r\n" CLOSE, sizeof("\0.evil\r\n" CLOSE) - 1);
    check("odd-host", odd, "200 400 421 closed");
    check("host-in-the-line", text_of(GET("http://evil.example/metrics")), "200 400 404 421");
}

/* A path must not be taken for what stands before its NUL. */
static void nuls(void)
{
    static const char raw[] = GET("/\0/api"), raw_in_query[] = GET("/metrics?x=1\0&y=2");
    struct text path = {NULL, 0}, query = {NULL, 0};
    add(&path, raw, sizeof(raw) - 1);
    add(&query, raw_in_query, sizeof(raw_in_query) - 1);
    check("path-nul", path, "400");
    check("query-nul", query, "400");
    check("path-nul-encoded", text_of(GET("/metrics%00.txt")), "400");
    check("query-nul-encoded", text_of(GET("/metrics?x=%00")), "400");
    check("path-nul-encoded-twice", text_of(GET("/metrics%2500")), "404");
}

static void wrong_paths(void)
{
    check("path-up", text_of(GET("/../../etc/passwd")), "404");
    check("path-up-encoded", text_of(GET("/debug/pprof/%2e%2e/%2e%2e/%2e%2e/etc/passwd")), "404");
    check("path-up-encoded-twice", text_of(GET("/%252e%252e/%252e%252e/etc/passwd")), "404");
    check("path-up-overlong", text_of(GET("/%c0%ae%c0%ae/%c0%ae%c0%ae/etc/passwd")), "400 404");
    check("path-up-backslash", text_of(GET("/..\\..\\etc\\passwd")), "404");
    check("path-up-in-a-route", text_of(GET("/api/report/../../../etc/passwd")), "404");
    check("path-file", text_of(GET("file:///etc/passwd")), "400 404 421");
    check("path-bad-percent", text_of(GET("/metrics%zz")), "400 404");
    check("query-bad-percent", text_of(GET("/metrics?%=%zz&%")), "200 400");
    check("path-twice", text_of(GET("//metrics")), "404");
    check("long-url", repeated("GET /", "a", 100000, " HTTP/1.1\r\n" HOST CLOSE), "414 431 closed");
    check("long-query", repeated("GET /metrics?", "a=b&", 3000, " HTTP/1.1\r\n" HOST CLOSE),
          "200 414 431 closed");
    check("many-headers", repeated("GET /metrics HTTP/1.1\r\n" HOST, "X: y\r\n", 5000, CLOSE),
          "413 431 closed");
    check("long-header",
          repeated("GET /metrics HTTP/1.1\r\n" HOST "X: ", "y", 200000, "\r\n" CLOSE),
          "413 431 closed");
    check("seconds-too-many", text_of(GET("/debug/pprof/heap?seconds=999999999999999999999")),
          "400");
    check("seconds-negative", text_of(GET("/debug/pprof/heap?seconds=-1")), "400");
    check("top-too-many", text_of(GET("/debug/memory?top=4294967297")), "400");
    check("top-long", repeated("GET /debug/memory?top=", "9", 2000, " HTTP/1.1\r\n" HOST CLOSE),
          "200 400");
}

static void wrong_methods(void)
{
    static const char *const methods[] = {"POST",  "PUT",   "DELETE", "OPTIONS",
                                          "TRACE", "PATCH", "BREW"};
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        char request[128], name[32];
        snprintf(name, sizeof(name), "method-%s", methods[i]);
        snprintf(request, sizeof(request),
                 "%s /metrics HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n", methods[i]);
        check(name, text_of(request), "405");
    }
    check("post-with-body",
          repeated("POST /metrics HTTP/1.1\r\n" HOST "Content-Length: 1000000\r\n\r\n", "x",
                   1000000, ""),
          "405 closed");
    check("get-with-body",
          text_of("GET /healthz HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello"), "200");
    check("get-with-chunks",
          text_of("GET /healthz HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\nConnection: "
                  "close\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
          "200");
    check("http-1.0", text_of("GET /healthz HTTP/1.0\r\n" HOST CLOSE), "200");
    check("garbage-behind",
          text_of("GET /healthz HTTP/1.1\r\n" HOST "\r\n\x01\x02 garbage\r\n\r\n"), "200");
    check("two-lengths",
          text_of("GET /healthz HTTP/1.1\r\n" HOST
                  "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"),
          "200 400 closed");
    check("chunks-of-nonsense",
          text_of("POST /x HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\nzz\r\n"),
          "400 405 closed");
}

static void nonsense(void)
{
    static const char hello[] = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";
    struct text garbage = {NULL, 0};
    for (int i = 0; i < 50; i++)
        add(&garbage, hello, sizeof(hello) - 1);
    check("garbage", garbage, "400 closed");
    check("nothing", text_of(""), "closed 400 408");
    check("newlines", repeated("", "\r\n", 5000, ""), "closed 400 408 413 431");
    check("no-version", text_of("GET /metrics\r\n\r\n"), "400 421 200 closed");
    check("version-9", text_of("GET /metrics HTTP/9.9\r\n" HOST CLOSE), "200 400 505 closed");
}

/* Hundreds who connect and say nothing, and hundreds who say half of it: others are served once
 * those are cut off, or at once.  One of them goes on to send a byte now and then, and must not
 * keep its connection for ever. */
static void the_idle(void)
{
    int idle[IDLE], count = 0;
    for (int fd; count < IDLE && (fd = dial()) >= 0; count++) {
        idle[count] = fd;
        if (count % 2)
            send_all(fd, "GET /metrics HTT", 16);
    }
    double begin = now();
    bool served = false;
    while (!served && now() - begin < 60 && !(served = is_well()))
        nap(0.2);
    say(served ? "ok crowd-of-idle\n"
               : "not ok crowd-of-idle: nobody else is served for a minute\n");

    bool cut = count == 0;
    for (begin = now(); !cut && now() - begin < 60; nap(0.5)) {
        char byte;
        set_patience(idle[0], 0.2);
        cut = !send_all(idle[0], "G", 1) || recv(idle[0], &byte, 1, 0) == 0;
    }
    say(cut ? "ok slow-is-cut\n" : "not ok slow-is-cut: it is still there after a minute\n");
    while (count > 0)
        close(idle[--count]);
}

/* Many at once, all asking; then those who ask and never take the answer. */
static void the_many(void)
{
    int crowd[CROWD], served = 0;
    for (int i = 0; i < CROWD; i++) {
        crowd[i] = dial();
        send_all(crowd[i], GET("/metrics"), strlen(GET("/metrics")));
    }
    for (int i = 0; i < CROWD; i++) {
        char answer[12];
        served += recv(crowd[i], answer, sizeof(answer), MSG_WAITALL) == sizeof(answer) &&
                  memcmp(answer + 9, "200", 3) == 0;
        close(crowd[i]);
    }
    if (served == CROWD)
        say("ok crowd-is-served\n");
    else
        say("not ok crowd-is-served: %d of %d\n", served, CROWD);
    for (int i = 0; i < 50; i++) {
        int fd = dial();
        send_all(fd, GET("/debug/pprof/heap?debug=1"), strlen(GET("/debug/pprof/heap?debug=1")));
        close(fd);
    }
    bool well = false;
    for (double begin = now(); !well && now() - begin < 30; nap(0.2))
        well = is_well();
    say(well ? "ok left-alone\n" : "not ok left-alone: nobody is served any more\n");
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    address = (struct sockaddr_in){.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)strtoul(argv[1], NULL, 10)),
                                   .sin_addr = {htonl(INADDR_LOOPBACK)}};
    wrong_names();
    wrong_paths();
    nuls();
    wrong_methods();
    nonsense();
    the_idle();
    the_many();
    return 0;
}
