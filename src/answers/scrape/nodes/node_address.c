/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/nodes/node_address.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cluster/runs/host_port.h"
#include "formats/encodings/base64.h"

#define ADDRESS_MAX 2048u

static int wrong(struct fault *fault, const char *why)
{
    return fault_set(
        fault, -EINVAL,
        "an address %s; it is like 10.0.0.1:2379, http://host:2379 or unix:/run/node.sock", why);
}

static int no_memory(struct fault *fault)
{
    return fault_set(fault, -ENOMEM, "not enough memory for an address");
}

int node_address_has_scheme(const char *text)
{
    return strncasecmp(text, "http://", 7) == 0 || strncasecmp(text, "https://", 8) == 0 ||
           strncmp(text, "unix:", 5) == 0;
}

/* unix:/path/of/socket or unix:/path/of/socket:/prefix */
static int parse_socket(const char *text, struct node_address *address, struct fault *fault)
{
    const char *socket = text + strlen("unix:"), *prefix = strstr(socket, ":/");
    size_t const size = prefix ? (size_t)(prefix - socket) : strlen(socket);
    size_t prefix_size = prefix ? strlen(prefix + 1) : 0;
    if (socket[0] != '/' || size < 2 || size > 107 || socket[size - 1] == '/')
        return wrong(fault, "of a socket must have its full path, at most 107 characters");
    while (prefix_size > 0 && prefix[prefix_size] == '/')
        prefix_size--;
    const char *name = memrchr(socket, '/', size);
    size_t name_size = (size_t)(socket + size - name) - 1;
    const char *ending = memrchr(name + 1, '.', name_size);
    if (ending && ending > name + 1)
        name_size = (size_t)(ending - name) - 1;
    address->nick = strndup(name + 1, name_size);
    if (!address->nick || asprintf(&address->base, "unix:%.*s:%.*s", (int)size, socket,
                                   (int)prefix_size, prefix ? prefix + 1 : "") < 0)
        return no_memory(fault);
    return 0;
}

static int hex_digit(char letter)
{
    const char *digits = "0123456789abcdef0123456789ABCDEF";
    const char *found = letter ? strchr(digits, letter) : NULL;
    return found ? (int)((found - digits) % 16) : -1;
}

/* "user:word", as RFC 7617 wants it. */
static int parse_password(const char *text, size_t size, struct node_address *address,
                          struct fault *fault)
{
    char plain[512], coded[4 * (sizeof(plain) / 3 + 1) + 1];
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        int const high = text[i] == '%' && i + 2 < size ? hex_digit(text[i + 1]) : -1;
        int const low = high >= 0 ? hex_digit(text[i + 2]) : -1;
        if (used == sizeof(plain))
            return wrong(fault, "has a password that is too long");
        plain[used++] = low >= 0 ? (char)(high * 16 + low) : text[i];
        i += low >= 0 ? 2 : 0;
    }
    coded[base64_encode((struct slice){plain, used}, coded)] = '\0';
    return asprintf(&address->authorization, "Authorization: Basic %s", coded) < 0
               ? no_memory(fault)
               : 0;
}

static int parse_http(const char *text, const char *scheme, uint16_t port,
                      struct node_address *address, struct fault *fault)
{
    struct host_port host;
    char shown[HOST_PORT_TEXT_MAX];
    size_t size = strcspn(text, "/"), path_size = strlen(text + size);
    const char *path = text + size, *at = memrchr(text, '@', size);
    while (path_size > 0 && path[path_size - 1] == '/')
        path_size--;
    if (at) {
        int const err = parse_password(text, (size_t)(at - text), address, fault);
        if (err)
            return err;
        size -= (size_t)(at + 1 - text);
        text = at + 1;
    }
    if (host_port_parse((struct slice){text, size}, &host) != 0)
        return wrong(fault, "has an invalid host");
    if (host.port == 0)
        host.port = port;
    host_port_render(&host, shown);
    address->nick = strdup(shown);
    if (!address->nick ||
        asprintf(&address->base, "%s%s%.*s", scheme, shown, (int)path_size, path) < 0)
        return no_memory(fault);
    return 0;
}

static int parse(const char *text, uint16_t port, struct node_address *address, struct fault *fault)
{
    if (strlen(text) > ADDRESS_MAX)
        return wrong(fault, "is longer than 2048 letters");
    for (const char *letter = text; *letter; letter++)
        if ((unsigned char)*letter <= ' ' || *letter == 0x7f || strchr("?#\"<>\\^`{|}", *letter))
            return wrong(fault, "has a character that is not possible there, or a question mark");
    if (strncmp(text, "unix:", 5) == 0)
        return parse_socket(text, address, fault);
    if (strncasecmp(text, "http://", 7) == 0)
        return parse_http(text + 7, "http://", 0, address, fault);
    if (strncasecmp(text, "https://", 8) == 0)
        return parse_http(text + 8, "https://", 0, address, fault);
    if (strstr(text, "://"))
        return wrong(fault, "must begin with http or https");
    int const err = parse_http(text, "http://", port, address, fault);
    struct host_port host;
    if (!err && host_port_parse(slice_of(address->nick), &host) == 0 && host.port == 0)
        return wrong(fault, "needs a port here");
    return err;
}

int node_address_parse(const char *text, uint16_t port, struct node_address *address,
                       struct fault *fault)
{
    *address = (struct node_address){.base = NULL};
    int const err = parse(text, port, address, fault);
    if (err)
        node_address_fini(address);
    return err;
}

void node_address_fini(struct node_address *address)
{
    free(address->base);
    free(address->authorization);
    free(address->nick);
    *address = (struct node_address){.base = NULL};
}

/* ":6060/x" behind http://host:8545/prefix: the same host, another port, no prefix. */
static char *join_port(const char *base, const char *path)
{
    const char *host = strstr(base, "://");
    struct host_port parsed;
    char shown[HOST_PORT_TEXT_MAX], *url = NULL;
    size_t const digits = strspn(path + 1, "0123456789");
    unsigned long const port = digits <= 5 ? strtoul(path + 1, NULL, 10) : 0;
    if (!host || port == 0 || port > UINT16_MAX)
        return NULL;
    host += 3;
    if (host_port_parse((struct slice){host, strcspn(host, "/")}, &parsed) != 0)
        return NULL;
    parsed.port = (uint16_t)port;
    if (asprintf(&url, "%.*s%s%s", (int)(host - base), base, host_port_render(&parsed, shown),
                 path + 1 + digits) < 0)
        return NULL;
    return url;
}

char *node_address_join(const char *base, const char *path)
{
    char *url = NULL;
    if (path[0] == ':')
        return join_port(base, path);
    return asprintf(&url, "%s%s", base, path) < 0 ? NULL : url;
}

char *node_address_shown(const char *url)
{
    const char *host = strstr(url, "://");
    host = host ? host + 3 : url;
    const char *at = strncmp(url, "unix:", 5) == 0 ? NULL : memrchr(host, '@', strcspn(host, "/"));
    char *shown = NULL;
    if (!at)
        return strdup(url);
    return asprintf(&shown, "%.*s%s", (int)(host - url), url, at + 1) < 0 ? NULL : shown;
}
