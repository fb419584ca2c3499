/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a configuration of nodes: refused with a sentence, or nodes that each have a
 * class, a nick that is fit for a file name, and no secret in an address. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "scrape/nodes/node_inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool has_password(const char *url)
{
    const char *host = url ? strstr(url, "://") : NULL;
    return host && memchr(host + 3, '@', strcspn(host + 3, "/"));
}

static void check_node(const struct node *node)
{
    if (!node->class || !node->name || !node->role || !node->nick || !node->nick[0] ||
        node->nick[0] == '.' || strchr(node->nick, '/') || strlen(node->nick) > 200)
        abort();
    if (!node->base_url && !node->metrics_url && !node->pprof_url && !node->has_process)
        abort(); /* nothing to ask, and nobody to look at */
    if (has_password(node->metrics_url) || has_password(node->pprof_url) ||
        has_password(node->base_url))
        abort();
    vec_each (header, &node->headers)
        if (strpbrk(*header, "\r\n"))
            abort(); /* a header that is two */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct node_list list;
    struct fault fault = {.text = ""};
    if (node_list_init(&list, &fault) != 0)
        abort();
    int const err =
        node_config_parse(&list, (struct slice){(const char *)data, size}, "c.yaml", NULL, &fault);
    if (err && (err >= 0 || fault.text[0] == '\0'))
        abort(); /* an error without a sentence */
    vec_each (node, &list.nodes)
        check_node(*node);
    node_list_fini(&list);
    return 0;
}
