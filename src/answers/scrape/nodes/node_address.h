/* node_address.h - parses the address of a node as people write it: "10.0.0.1", "10.0.0.1:2379",
 * "[2001:db8::1]:2379", "http://user:word@host/prefix/", "unix:/run/node.sock". */
#pragma once

#include <stdint.h>

#include "base/fault.h"

struct node_address {
    char *base; /* paths are appended to it: "http://10.0.0.1:2379", "unix:/run/node.sock:" */
    /* "Authorization: Basic …" for the user and password of the address, which `base` does not
     * have; or NULL */
    char *authorization;
    char *nick; /* "10.0.0.1:2379"; for a socket the last part of its path, without the suffix */
};

/* `port` is the default for addresses without http:// and without a port; 0: such an address is an
 * error.  Returns 0; or -errno with a sentence, which contains no password. */
int node_address_parse(const char *text, uint16_t port, struct node_address *address,
                       struct fault *fault);
void node_address_fini(struct node_address *address);

/* Returns whether `text` begins with http:, https: or unix:. */
int node_address_has_scheme(const char *text);
/* Appends `path` to `base`; a path ":PORT/…" replaces the port.  The caller frees the result.  NULL
 * when out of memory, or if a port is given for a socket. */
char *node_address_join(const char *base, const char *path);
/* Returns a copy of a complete address without user and password; NULL when out of memory. */
char *node_address_shown(const char *url);
