/* node_request.h - the headers of a request to a node, with the token in the header that the class
 * names. */
#pragma once

#include <stdbool.h>

#include "scrape/http/http.h"
#include "scrape/nodes/node.h"

struct node_headers {
    VEC(const char *) items; /* borrowed from the node, except the last */
    char *token_line;
};

/* `as_admin`: uses the admin token, for profiles and settings; without one, the other token.  The
 * node must outlive the headers.  Returns false when out of memory. */
bool node_headers_init(struct node_headers *headers, const struct node *node, bool as_admin);
void node_headers_fini(struct node_headers *headers);
