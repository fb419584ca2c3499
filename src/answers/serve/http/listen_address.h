/* listen_address.h - where the server listens: "PORT", "ADDRESS", "ADDRESS:PORT", "[::1]:PORT". */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>

#include "base/fault.h"

#define SERVE_PORT       17832
#define LISTEN_TEXT_MOST 72

struct listen_address {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } socket;
    bool is_loopback;
};

/* Parses numeric addresses and "localhost"; no name is resolved.  Returns 0 or -EINVAL with a
 * sentence. */
int listen_address_parse(const char *text, struct listen_address *address, struct fault *fault);

/* Writes the address as in a URL: "127.0.0.1:17832", "[::1]:17832". */
void listen_address_render(const struct listen_address *address, char text[LISTEN_TEXT_MOST]);

/* Opens a socket that listens on `address`.  Port 0 in `address` is replaced by the port that the
 * kernel chose.  Returns the descriptor, or -errno with a sentence. */
int listen_address_open(struct listen_address *address, struct fault *fault);
