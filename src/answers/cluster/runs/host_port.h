/* host_port.h - an address as people write it, with a port or without: "10.0.0.1:8580",
 * "2001:db8::1", "[2001:db8::1]:8580", "r1.example.org". */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

#define HOST_MAX 256

struct host_port {
    char host[HOST_MAX]; /* without brackets; case as written */
    uint16_t port;       /* 0: none was given */
    bool is_ipv6;
};

/* Returns 0 or -EINVAL for what cannot be a host: other letters than names and addresses have, a
 * port out of range, too long. */
int host_port_parse(struct slice text, struct host_port *out);
/* Returns whether it is one host, however it is written: names without regard to case, IPv6
 * addresses by their value. */
bool host_equals(const struct host_port *a, const struct host_port *b);
/* As it stands in an address of HTTP: "10.0.0.1:8580", "[2001:db8::1]:8580"; without a port if
 * that is 0. */
#define HOST_PORT_TEXT_MAX (HOST_MAX + 10)
const char *host_port_render(const struct host_port *host, char out[HOST_PORT_TEXT_MAX]);
