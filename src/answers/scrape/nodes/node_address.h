/* node_address.h - where a node is, as people write it: "10.0.0.1", "10.0.0.1:2379",
 * "[2001:db8::1]:2379", "http://user:word@host/prefix/", "unix:/run/node.sock". */
#pragma once

#include <stdint.h>

#include "base/fault.h"

struct node_address {
    char *base; /* paths are put right behind it: "http://10.0.0.1:2379", "unix:/run/node.sock:" */
    /* "Authorization: Basic …" of the user and password in it, which are not in `base`; or NULL */
    char *authorization;
    char *nick; /* "10.0.0.1:2379"; the last part of a socket's path without its ending */
};

/* `port` is for addresses without http:// that have none; 0: there must be one.  Returns 0 or
 * -errno with a sentence, which holds no password. */
int node_address_parse(const char *text, uint16_t port, struct node_address *address,
                       struct fault *fault);
void node_address_fini(struct node_address *address);

/* Whether it begins as an address of its own: http:, https:, unix:. */
int node_address_has_scheme(const char *text);
/* `path` behind `base`; a path ":PORT/…" is at another port of that host.  NULL when out of
 * memory, or a socket has no ports. */
char *node_address_join(const char *base, const char *path);
/* Returns a copy of a whole address without user and password; NULL when out of memory. */
char *node_address_shown(const char *url);
