/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/ports.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "procfs/process/proc_text.h"

#define LOWEST 10000u
#define TRIES  200u

/* Sockets that hold what was chosen until all are. */
typedef VEC(int) socket_list;

static int hold(socket_list *held, uint16_t port)
{
    struct sockaddr_in const address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int const fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    /* What a network of before left in TIME_WAIT is nobody's. */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 && vec_push(held, fd))
        return 0;
    int const why = errno;
    close(fd);
    return why ? -why : -ENOMEM;
}

static uint16_t port_held(int fd)
{
    struct sockaddr_in address = {0};
    socklen_t size = sizeof(address);
    getsockname(fd, (struct sockaddr *)&address, &size);
    return ntohs(address.sin_port);
}

/* The first port that the kernel may give to a connection. */
static unsigned first_given(void)
{
    char *text;
    unsigned first = 32768;
    if (proc_text_read("/proc/sys/net/ipv4/ip_local_port_range", 100, &text) == 0) {
        first = (unsigned)strtoul(text, NULL, 10);
        free(text);
    }
    return first > LOWEST + 1000 && first <= 65535 ? first : 0;
}

static int choose(socket_list *held, uint16_t *number)
{
    unsigned const end = first_given();
    for (unsigned i = 0; end && i < TRIES; i++) {
        uint32_t random = 0;
        if (getrandom(&random, sizeof(random), 0) != sizeof(random))
            break;
        *number = (uint16_t)(LOWEST + random % (end - LOWEST));
        if (hold(held, *number) == 0)
            return 0;
    }
    int const err = hold(held, 0);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): hold has just put it there */
    *number = err ? 0 : port_held(held->items[held->count - 1]);
    return err;
}

static int settle(socket_list *held, const struct net_part *part, struct net_port *port,
                  struct fault *fault)
{
    int const err = port->number ? hold(held, port->number) : choose(held, &port->number);
    if (err == -EADDRINUSE)
        return fault_set(
            fault, err,
            "port %u, which is the %s port of %s, is in use: end the program that has it (ss -ltnp "
            "tells which), or use --fresh for other ports and new data",
            port->number, port->name, part->name);
    if (err)
        return fault_set(fault, err, "no port for %s of %s: %s", port->name, part->name,
                         strerror(-err));
    return 0;
}

int ports_choose(struct net *net, struct fault *fault)
{
    socket_list held = {0};
    int err = 0;
    /* First those that must be what they are. */
    for (int given = 1; given >= 0; given--)
        vec_each (part, &net->parts)
            vec_each (port, &part->ports)
                if (!err && (port->number != 0) == given && (given || port->number == 0))
                    err = settle(&held, part, port, fault);
    vec_each (fd, &held)
        close(*fd);
    vec_free(&held);
    return err;
}
