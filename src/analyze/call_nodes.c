/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/call_nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/shown_frame.h"
#include "base/hash.h"

static bool is_same_node(enum tree_merge merge, const struct call_node *node,
                         const struct shown_frame *frame)
{
    if (node->module != frame->module)
        return false;
    if (merge == MERGE_MODULE)
        return true;
    if (node->function != frame->function)
        return false;
    return merge == MERGE_FUNCTION || (node->file == frame->file && node->line == frame->line &&
                                       node->inlined == frame->inlined);
}

static uint64_t hash_node(enum tree_merge merge, uint32_t parent, const struct shown_frame *frame)
{
    uint64_t hash = hash_mix(((uint64_t)parent << 32 | frame->module) + 1); /* NOLINT: never NULL */
    if (merge != MERGE_MODULE)
        hash = hash_mix(hash ^ frame->function);
    if (merge == MERGE_LINE)
        hash = hash_mix(hash ^ ((uint64_t)frame->file << 32 | frame->line)) + frame->inlined;
    return hash;
}

static struct shown_frame node_frame(const struct call_node *node)
{
    return (struct shown_frame){node->function, node->module, node->file, node->line,
                                node->inlined};
}

static int grow_slots(struct call_nodes *nodes)
{
    size_t const room = nodes->slots ? 2 * (nodes->slot_mask + 1) : 1024;
    uint32_t *slots = calloc(room, sizeof(*slots));
    if (!slots)
        return -ENOMEM;
    for (uint32_t i = 1; i < nodes->tree->nodes.count; i++) {
        const struct call_node *node = &nodes->tree->nodes.items[i];
        struct shown_frame const frame = node_frame(node);
        size_t at = hash_node(nodes->merge, node->parent, &frame) & (room - 1);
        while (slots[at])
            at = (at + 1) & (room - 1);
        slots[at] = i;
    }
    free(nodes->slots);
    nodes->slots = slots;
    nodes->slot_mask = room - 1;
    return 0;
}

static int add_node(struct call_nodes *nodes, uint32_t parent, struct shown_frame frame,
                    uint32_t *index)
{
    struct recording *recording = nodes->recording;
    struct call_node node = {frame.function, frame.module,  frame.file,
                             frame.line,     frame.inlined, .parent = parent};
    if (nodes->merge == MERGE_MODULE) {
        const char *path = recording_text(recording, frame.module);
        node.function = recording_intern(recording, *path ? path_basename(path) : "[unknown]");
        node.file = STRING_EMPTY;
        node.line = 0;
        node.inlined = false;
    }
    if (nodes->tree->nodes.count >= UINT32_MAX || !vec_push(&nodes->tree->nodes, node))
        return -ENOMEM;
    *index = (uint32_t)nodes->tree->nodes.count - 1;
    return 0;
}

/* Several places of one function in one node: what they do not share is left open. */
static void blur_node(struct call_node *node, const struct shown_frame *frame)
{
    if (node->file != frame->file)
        node->file = STRING_EMPTY;
    if (node->line != frame->line || !node->file)
        node->line = 0;
    node->inlined = node->inlined && frame->inlined;
}

int call_nodes_find(struct call_nodes *nodes, uint32_t parent, const struct shown_frame *frame,
                    uint32_t *child)
{
    struct call_tree *tree = nodes->tree;
    if (nodes->merge == MERGE_MODULE && parent &&
        tree->nodes.items[parent].module == frame->module) {
        *child = parent; /* a module calling itself is one step */
        return 0;
    }
    if (!nodes->slots || 2 * tree->nodes.count > nodes->slot_mask)
        if (grow_slots(nodes) < 0)
            return -ENOMEM;
    size_t at = hash_node(nodes->merge, parent, frame) & nodes->slot_mask;
    for (; nodes->slots[at]; at = (at + 1) & nodes->slot_mask) {
        struct call_node *node = &tree->nodes.items[nodes->slots[at]];
        if (node->parent == parent && is_same_node(nodes->merge, node, frame)) {
            if (nodes->merge == MERGE_FUNCTION)
                blur_node(node, frame);
            *child = nodes->slots[at];
            return 0;
        }
    }
    int err = add_node(nodes, parent, *frame, child);
    if (!err)
        nodes->slots[at] = *child;
    return err;
}

void call_nodes_fini(struct call_nodes *nodes)
{
    free(nodes->slots);
    nodes->slots = NULL;
}

void call_nodes_sum(struct call_tree *tree)
{
    for (size_t i = 0; i < tree->nodes.count; i++) {
        tree->nodes.items[i].value = tree->nodes.items[i].self_value;
        tree->nodes.items[i].count = tree->nodes.items[i].self_count;
    }
    for (size_t i = tree->nodes.count; i-- > 1;) {
        const struct call_node *node = &tree->nodes.items[i];
        struct call_node *parent = &tree->nodes.items[node->parent];
        parent->value = (int64_t)((uint64_t)parent->value + (uint64_t)node->value);
        parent->count = (int64_t)((uint64_t)parent->count + (uint64_t)node->count);
    }
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

struct siblings {
    const struct recording *recording;
    const struct call_tree *tree;
};

/* Falling by size; by name where equal, so that the same recording always reads the same. */
static int compare_siblings(const void *left, const void *right, void *context)
{
    const struct siblings *siblings = context;
    const struct call_node *a = &siblings->tree->nodes.items[*(const uint32_t *)left];
    const struct call_node *b = &siblings->tree->nodes.items[*(const uint32_t *)right];
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    if (magnitude(a->value) != magnitude(b->value))
        return magnitude(a->value) > magnitude(b->value) ? -1 : 1;
    if (magnitude(a->count) != magnitude(b->count))
        return magnitude(a->count) > magnitude(b->count) ? -1 : 1;
    int const by_name = strcmp(recording_text(siblings->recording, a->function),
                               recording_text(siblings->recording, b->function));
    return by_name ? by_name : a->line < b->line ? -1 : a->line > b->line;
}

int call_nodes_link(const struct recording *recording, struct call_tree *tree)
{
    struct siblings siblings = {recording, tree};
    size_t const count = tree->nodes.count - 1; /* without the root */
    uint32_t *order = malloc((count + 1) * sizeof(*order) + 1);
    if (!order)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i + 1;
    qsort_r(order, count, sizeof(*order), compare_siblings, &siblings);
    for (size_t i = count; i-- > 0;) {
        struct call_node *node = &tree->nodes.items[order[i]];
        node->next_sibling = tree->nodes.items[node->parent].first_child;
        tree->nodes.items[node->parent].first_child = order[i];
    }
    free(order);
    return 0;
}
