/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/trees/sandwich.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/call_nodes.h"

#define OUTSIDE UINT32_MAX

struct sandwich_builder {
    const struct call_tree *tree;
    string_id function, module;
    struct call_nodes callers, callees;
    struct sandwich *sandwich;
    uint32_t *place; /* of each node among the callees, or OUTSIDE */
    bool *again;     /* whether the function is above it more than once */
};

static void add_self(struct call_tree *tree, uint32_t at, int64_t value, int64_t count)
{
    struct call_node *node = &tree->nodes.items[at];
    node->self_value = (int64_t)((uint64_t)node->self_value + (uint64_t)value);
    node->self_count = (int64_t)((uint64_t)node->self_count + (uint64_t)count);
}

/* All that is beneath `node` came this way. */
static int add_callers(struct sandwich_builder *builder, const struct call_node *node)
{
    uint32_t at = 0;
    for (uint32_t up = node->parent; up; up = builder->tree->nodes.items[up].parent) {
        if (call_nodes_find(&builder->callers, at, &builder->tree->nodes.items[up], &at) < 0)
            return -ENOMEM;
    }
    add_self(&builder->sandwich->callers, at, node->value, node->count);
    return 0;
}

/* Parents come before their children, so where a node belongs follows from where its parent
 * does. */
static int place_node(struct sandwich_builder *builder, uint32_t at)
{
    const struct call_node *node = &builder->tree->nodes.items[at];
    struct sandwich *sandwich = builder->sandwich;
    uint32_t const above = at ? builder->place[node->parent] : OUTSIDE;
    bool const is_it = at && node->function == builder->function && node->module == builder->module;
    int err = 0;
    builder->place[at] = OUTSIDE;
    if (above != OUTSIDE) {
        err = call_nodes_find(&builder->callees, above, node, &builder->place[at]);
        builder->again[at] = builder->again[node->parent] || is_it;
        if (is_it && !builder->again[node->parent]) {
            sandwich->again_value += node->value;
            sandwich->again_count += node->count;
        }
    } else if (is_it) {
        builder->place[at] = 0;
        err = add_callers(builder, node);
    }
    if (!err && builder->place[at] != OUTSIDE)
        add_self(&sandwich->callees, builder->place[at], node->self_value, node->self_count);
    return err;
}

static int finish_tree(struct call_tree *tree, const struct recording *recording)
{
    call_nodes_sum(tree);
    return call_nodes_link(recording, tree);
}

int sandwich_build(struct recording *recording, const struct call_tree *tree, string_id function,
                   string_id module, struct sandwich *sandwich)
{
    size_t const count = tree->nodes.count;
    struct sandwich_builder builder = {
        .tree = tree, .function = function, .module = module, .sandwich = sandwich};
    memset(sandwich, 0, sizeof(*sandwich));
    builder.place = calloc(count + 1, sizeof(builder.place[0]));
    builder.again = calloc(count + 1, sizeof(builder.again[0]));
    int err = builder.place && builder.again ? 0 : -ENOMEM;
    struct call_node const root = {.function = function, .module = module};
    if (!err)
        err = call_nodes_begin(&builder.callers, &sandwich->callers, root);
    if (!err)
        err = call_nodes_begin(&builder.callees, &sandwich->callees, root);
    for (uint32_t i = 0; i < count && !err; i++)
        err = place_node(&builder, i);
    if (!err)
        err = finish_tree(&sandwich->callers, recording);
    if (!err)
        err = finish_tree(&sandwich->callees, recording);
    call_nodes_fini(&builder.callers);
    call_nodes_fini(&builder.callees);
    free(builder.place);
    free(builder.again);
    if (err)
        sandwich_fini(sandwich);
    return err;
}

void sandwich_fini(struct sandwich *sandwich)
{
    call_tree_fini(&sandwich->callers);
    call_tree_fini(&sandwich->callees);
}
