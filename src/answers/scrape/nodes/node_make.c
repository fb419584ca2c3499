/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/nodes/node_make.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "scrape/nodes/node_address.h"
#include "scrape/nodes/node_secret.h"
#include "scrape/nodes/text_list.h"

#define HEADERS_MAX 64u

static int no_memory(struct fault *fault)
{
    return fault_set(fault, -ENOMEM, "not enough memory for the nodes");
}

struct node *node_create(void)
{
    struct node *node = calloc(1, sizeof(*node));
    if (node)
        node->gives_blocks = true;
    return node;
}

static void wipe(char *secret)
{
    if (secret)
        explicit_bzero(secret, strlen(secret));
    free(secret);
}

void node_destroy(struct node *node)
{
    if (!node)
        return;
    free(node->name);
    free(node->nick);
    free(node->role);
    free(node->base_url);
    free(node->folder);
    free(node->metrics_url);
    free(node->pprof_url);
    vec_each (header, &node->headers)
        wipe(*header);
    vec_free(&node->headers);
    wipe(node->token);
    wipe(node->admin_token);
    free(node->process.pid_file);
    free(node->process.name);
    free(node->process.memory);
    free(node);
}

bool node_set(char **member, const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy)
        return false;
    free(*member);
    *member = copy;
    return true;
}

/* Whether the address of the class's `path` is there now, if it should be. */
static bool join(char **url, const char *base, const char *path)
{
    if (*url || !path || (path[0] == ':' && strncmp(base, "unix:", 5) == 0))
        return true;
    *url = node_address_join(base, path);
    return *url != NULL;
}

int node_set_address(struct node *node, const char *text, uint16_t port, struct fault *fault)
{
    struct node_address address;
    int err = node_address_parse(text, port, &address, fault);
    if (err)
        return err;
    if (address.authorization)
        err = node_add_header(node, address.authorization, fault);
    if (!err && ((!node->nick && !node_set(&node->nick, address.nick)) ||
                 !node_set(&node->base_url, address.base) ||
                 !join(&node->metrics_url, address.base, node->class->metrics) ||
                 !join(&node->pprof_url, address.base, node->class->pprof)))
        err = no_memory(fault);
    node_address_fini(&address);
    return err;
}

int node_add_header(struct node *node, const char *header, struct fault *fault)
{
    size_t const name = strcspn(header, ":");
    const char *letters =
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (name == 0 || header[name] != ':' || strspn(header, letters) != name ||
        !node_secret_is_clean(header))
        return fault_set(fault, -EINVAL, "a header is written as `Name: value`, on one line");
    vec_each (other, &node->headers)
        if (strncasecmp(*other, header, name + 1) == 0)
            return node_set(other, header) ? 0 : no_memory(fault);
    if (node->headers.count >= HEADERS_MAX)
        return fault_set(fault, -E2BIG, "a node has more than %u headers", HEADERS_MAX);
    return text_list_add(&node->headers, header) ? 0 : no_memory(fault);
}

static bool has_header(const struct node *node, const char *header)
{
    size_t const name = strcspn(header, ":");
    vec_each (other, &node->headers)
        if (strncasecmp(*other, header, name) == 0 && (*other)[name] == ':')
            return true;
    return false;
}

int node_apply_options(struct node *node, const struct node_list_options *options,
                       struct fault *fault)
{
    if (!options)
        return 0;
    vec_each (header, &options->headers) {
        int const err = has_header(node, *header) ? 0 : node_add_header(node, *header, fault);
        if (err)
            return err;
    }
    if ((options->token && !node->token && !node_set(&node->token, options->token)) ||
        (options->admin_token && !node->admin_token &&
         !node_set(&node->admin_token, options->admin_token)))
        return no_memory(fault);
    return 0;
}
