/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/runs/host_port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool parse_host(struct slice text, struct host_port *out)
{
    if (text.size == 0 || text.size >= sizeof(out->host))
        return false;
    memcpy(out->host, text.data, text.size);
    out->host[text.size] = '\0';
    return strlen(out->host) == text.size;
}

static bool parse_port(struct slice text, uint16_t *port)
{
    unsigned long value = 0;
    if (text.size == 0 || text.size > 5)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        value = value * 10 + (unsigned long)(text.data[i] - '0');
    }
    *port = (uint16_t)value;
    return value > 0 && value <= UINT16_MAX;
}

static struct slice part(struct slice text, size_t from, size_t to)
{
    return (struct slice){text.data + from, to - from};
}

/* The address proper: what stands before the zone of a link-local one. */
static bool ipv6_value(const char *host, struct in6_addr *value)
{
    char plain[INET6_ADDRSTRLEN];
    size_t const size = strcspn(host, "%");
    if (size >= sizeof(plain))
        return false;
    memcpy(plain, host, size);
    plain[size] = '\0';
    return inet_pton(AF_INET6, plain, value) == 1;
}

static bool is_ipv6(const char *host)
{
    struct in6_addr value;
    const char *zone = strchr(host, '%');
    return ipv6_value(host, &value) && (!zone || zone[1]);
}

static bool is_name(const char *host)
{
    return host[strspn(
               host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_")] == '\0';
}

static int parse_bracketed(struct slice text, struct host_port *out)
{
    const char *end = memchr(text.data, ']', text.size);
    size_t const close = end ? (size_t)(end - text.data) : 0;
    if (!end || !parse_host(part(text, 1, close), out) || !is_ipv6(out->host))
        return -EINVAL;
    out->is_ipv6 = true;
    if (close + 1 == text.size)
        return 0;
    return text.data[close + 1] == ':' && parse_port(part(text, close + 2, text.size), &out->port)
               ? 0
               : -EINVAL;
}

int host_port_parse(struct slice text, struct host_port *out)
{
    *out = (struct host_port){.port = 0};
    if (text.size > 0 && text.data[0] == '[')
        return parse_bracketed(text, out);
    if (!parse_host(text, out))
        return -EINVAL;
    if (is_ipv6(out->host)) {
        out->is_ipv6 = true;
        return 0;
    }
    char *colon = strchr(out->host, ':');
    if (colon) {
        size_t const at = (size_t)(colon - out->host);
        if (!parse_port(part(text, at + 1, text.size), &out->port))
            return -EINVAL;
        *colon = '\0';
    }
    return out->host[0] && is_name(out->host) ? 0 : -EINVAL;
}

bool host_equals(const struct host_port *a, const struct host_port *b)
{
    struct in6_addr one, other;
    const char *zone = strchr(a->host, '%'), *other_zone = strchr(b->host, '%');
    if (!a->is_ipv6 || !b->is_ipv6)
        return a->is_ipv6 == b->is_ipv6 && strcasecmp(a->host, b->host) == 0;
    return ipv6_value(a->host, &one) && ipv6_value(b->host, &other) &&
           memcmp(&one, &other, sizeof(one)) == 0 && !zone == !other_zone &&
           (!zone || strcmp(zone, other_zone) == 0);
}

const char *host_port_render(const struct host_port *host, char out[HOST_PORT_TEXT_MAX])
{
    int const size = snprintf(out, HOST_PORT_TEXT_MAX, host->is_ipv6 ? "[%s]" : "%s", host->host);
    if (host->port)
        snprintf(out + size, HOST_PORT_TEXT_MAX - (size_t)size, ":%u", host->port);
    return out;
}
