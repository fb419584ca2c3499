/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "analyze/trees/call_tree.h"

/* Unsigned, so that nonsense in a damaged file wraps instead of trapping. */
static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* The node after `at` in a walk that sees parents first; leaving a node takes its key off the
 * path.  0 at the end. */
static uint32_t next_node(const struct call_node *nodes, const uint32_t *keys, uint32_t at,
                          uint32_t *on_path)
{
    if (nodes[at].first_child)
        return nodes[at].first_child;
    while (at) {
        if (keys[at] != TREE_NO_KEY)
            on_path[keys[at]]--;
        if (nodes[at].next_sibling)
            return nodes[at].next_sibling;
        at = nodes[at].parent;
    }
    return 0;
}

int call_tree_sum(const struct call_tree *tree, const uint32_t *keys, size_t key_count,
                  struct tree_sum *sums)
{
    const struct call_node *nodes = tree->nodes.items;
    uint32_t *on_path = calloc(key_count + 1, sizeof(uint32_t));
    if (!on_path)
        return -ENOMEM;
    for (uint32_t at = nodes[0].first_child; at; at = next_node(nodes, keys, at, on_path)) {
        if (keys[at] == TREE_NO_KEY)
            continue;
        struct tree_sum *sum = &sums[keys[at]];
        sum->self_value = add(sum->self_value, nodes[at].self_value);
        sum->self_count = add(sum->self_count, nodes[at].self_count);
        if (on_path[keys[at]]++ == 0) {
            sum->total_value = add(sum->total_value, nodes[at].value);
            sum->total_count = add(sum->total_count, nodes[at].count);
        }
    }
    free(on_path);
    return 0;
}
