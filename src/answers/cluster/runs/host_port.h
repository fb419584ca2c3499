/* host_port.h - parses an address as people write it, with or without a port: "10.0.0.1:8580",
 * "2001:db8::1", "[2001:db8::1]:8580", "r1.example.org". */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

#define HOST_MAX 256

struct host_port {
    char host[HOST_MAX]; /* without brackets, in the case as given */
    uint16_t port;       /* 0: none was given */
    bool is_ipv6;
};

/* Returns 0; or -EINVAL for text that cannot be a host: characters that no name or address has, a
 * port out of range, too long. */
int host_port_parse(struct slice text, struct host_port *out);
/* Returns whether both are one host: names are compared without regard to case, IPv6 addresses by
 * value. */
bool host_equals(const struct host_port *a, const struct host_port *b);
/* Renders the host for a URL: "10.0.0.1:8580", "[2001:db8::1]:8580"; without the port if it is 0.
 * Returns `out`. */
#define HOST_PORT_TEXT_MAX (HOST_MAX + 10)
const char *host_port_render(const struct host_port *host, char out[HOST_PORT_TEXT_MAX]);
