/* node_request.h - what a request to a node has with it: its headers, and its token in the
 * header that its class names. */
#pragma once

#include <stdbool.h>

#include "scrape/http/http.h"
#include "scrape/nodes/node.h"

struct node_headers {
    VEC(const char *) items; /* borrowed of the node, but for the last */
    char *token_line;
};

/* `as_admin`: for profiles and settings; with the other token where there is no admin token.
 * The node must live on.  False when out of memory. */
bool node_headers_init(struct node_headers *headers, const struct node *node, bool as_admin);
void node_headers_fini(struct node_headers *headers);
