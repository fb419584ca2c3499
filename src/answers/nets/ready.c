/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/ready.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define AGAIN_NS   100000000u
#define CONNECT_MS 50

static void answered(void *context, const struct http_answer *answer)
{
    struct ready_check *check = context;
    const char *wanted = check->part->ready.contains;
    check->number = 0;
    check->last[0] = '\0';
    if (answer->error == -ECANCELED)
        return;
    if (answer->error)
        snprintf(check->last, sizeof(check->last), "%s", answer->why);
    else if (answer->status < 200 || answer->status > 299)
        snprintf(check->last, sizeof(check->last), "it answers %ld", answer->status);
    else if (wanted && !memmem(answer->body.data, answer->body.size, wanted, strlen(wanted)))
        snprintf(check->last, sizeof(check->last), "its answer does not have %.100s", wanted);
    else
        check->answered = true;
}

static void ask(struct ready_check *check, struct http *http)
{
    struct fault fault = {0};
    struct http_request const request = {.url = check->part->ready.url,
                                         .timeout_ms = 5000,
                                         .bytes_max = 4u << 20,
                                         .done = answered,
                                         .context = check};
    check->number = http_ask(http, &request, &fault);
    if (!check->number)
        snprintf(check->last, sizeof(check->last), "%.150s", fault.text);
}

/* On this machine a connection is made or refused at once, or nearly. */
static bool port_accepts(uint16_t port)
{
    struct sockaddr_in const address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int const fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct pollfd made = {.fd = fd, .events = POLLOUT};
    int err = EBADF;
    socklen_t size = sizeof(err);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
        err = 0;
    else if (fd >= 0 && errno == EINPROGRESS && poll(&made, 1, CONNECT_MS) == 1)
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size);
    if (fd >= 0)
        close(fd);
    return err == 0;
}

bool ready_look(struct ready_check *check, struct http *http, uint64_t now_ns)
{
    const struct net_ready *ready = &check->part->ready;
    if (now_ns < check->next_ns)
        return false;
    check->next_ns = now_ns + AGAIN_NS;
    if (ready->file && access(ready->file, F_OK) != 0)
        return false;
    if (ready->port && !port_accepts(ready->port))
        return false;
    if (!ready->url || check->answered)
        return true;
    if (!check->number)
        ask(check, http);
    return check->answered;
}

void ready_tell(const struct ready_check *check, char *text, size_t size)
{
    const struct net_ready *ready = &check->part->ready;
    if (ready->file && access(ready->file, F_OK) != 0)
        snprintf(text, size, "there is no %s", ready->file);
    else if (ready->port && !port_accepts(ready->port))
        snprintf(text, size, "port %u takes no connection", ready->port);
    else
        snprintf(text, size, "%s: %s", ready->url ? ready->url : check->part->name,
                 check->last[0] ? check->last : "no answer");
}
