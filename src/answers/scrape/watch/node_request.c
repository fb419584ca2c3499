/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/watch/node_request.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *token_of(const struct node *node, bool as_admin)
{
    if (as_admin && node->admin_token && node->admin_token[0])
        return node->admin_token;
    return node->token && node->token[0] ? node->token : NULL;
}

/* A header that was given by name is meant: two of one name are none. */
static bool has_header(const struct node *node, const char *name)
{
    size_t const size = strcspn(name, ":");
    vec_each (header, &node->headers)
        if (strncasecmp(*header, name, size) == 0 && (*header)[size] == ':')
            return true;
    return false;
}

bool node_headers_init(struct node_headers *headers, const struct node *node, bool as_admin)
{
    const char *token = token_of(node, as_admin);
    const char *name = node->class ? node->class->token_header : NULL;

    *headers = (struct node_headers){0};
    for (size_t i = 0; i < node->headers.count; i++)
        if (!vec_push(&headers->items, node->headers.items[i]))
            return false;
    if (!token || !name || has_header(node, name))
        return true;
    /* "X-Algo-API-Token", or "Authorization: Bearer" */
    return asprintf(&headers->token_line, "%s%s%s", name, strchr(name, ':') ? " " : ": ", token) >=
               0 &&
           vec_push(&headers->items, headers->token_line);
}

void node_headers_fini(struct node_headers *headers)
{
    vec_free(&headers->items);
    free(headers->token_line);
    headers->token_line = NULL;
}
