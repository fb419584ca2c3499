/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sites/line_costs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"

/* Where a node of the tree is. */
struct line_spot {
    string_id file, function;
    uint32_t line, node;
};

/* By node of the tree: its place, line and file. */
struct keys {
    uint32_t *places, *lines, *files;
};

static int compare(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

static int by_place(const void *left, const void *right)
{
    const struct line_spot *a = left, *b = right;
    int order = compare(a->file, b->file);
    if (!order)
        order = compare(a->line, b->line);
    if (!order)
        order = compare(a->function, b->function);
    return order ? order : compare(a->node, b->node);
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static int compare_falling(int64_t a, int64_t b)
{
    return magnitude(a) == magnitude(b) ? 0 : magnitude(a) > magnitude(b) ? -1 : 1;
}

static int by_cost(const void *left, const void *right, void *recording)
{
    const struct file_cost *a = left, *b = right;
    int order = compare_falling(a->sum.self_value, b->sum.self_value);
    if (!order)
        order = compare_falling(a->sum.total_value, b->sum.total_value);
    return order ? order
                 : strcmp(recording_text(recording, a->file), recording_text(recording, b->file));
}

/* The nodes that are in a file, in order; NULL when out of memory. */
static struct line_spot *list_spots(const struct call_tree *tree, size_t *count)
{
    INVARIANT(tree->nodes.count > 0);
    struct line_spot *spots = calloc(tree->nodes.count + 1, sizeof(*spots));
    *count = 0;
    for (uint32_t i = 1; spots && i < tree->nodes.count; i++) {
        const struct call_node *node = &tree->nodes.items[i];
        if (node->file != STRING_EMPTY)
            spots[(*count)++] = (struct line_spot){node->file, node->function, node->line, i};
    }
    if (spots)
        qsort(spots, *count, sizeof(*spots), by_place);
    return spots;
}

static bool place_spot(struct line_costs *costs, const struct line_spot *spot)
{
    struct line_place const place = {
        .file = spot->file, .function = spot->function, .line = spot->line};
    const struct line_place *last =
        costs->places.count ? &costs->places.items[costs->places.count - 1] : NULL;
    bool const is_file = !last || last->file != spot->file;
    bool const is_line = is_file || last->line != spot->line;
    bool const is_place = is_line || last->function != spot->function;
    if (is_file &&
        !vec_push(&costs->files, (struct file_cost){.file = spot->file,
                                                    .first_line = (uint32_t)costs->lines.count}))
        return false;
    if (is_line && !vec_push(&costs->lines, (struct line_cost){.line = spot->line}))
        return false;
    INVARIANT(costs->files.count <= costs->lines.count);
    costs->files.items[costs->files.count - 1].line_count += is_line;
    costs->lines.items[costs->lines.count - 1].functions += is_place;
    return !is_place || vec_push(&costs->places, place);
}

/* Makes places, lines and files of the nodes, and notes which node belongs to which. */
static int make_places(const struct call_tree *tree, struct line_costs *costs, struct keys *keys)
{
    size_t count;
    struct line_spot *spots = list_spots(tree, &count);
    int err = spots ? 0 : -ENOMEM;
    for (size_t i = 0; i < count && !err; i++) {
        if (!place_spot(costs, &spots[i]))
            err = -ENOMEM;
        keys->places[spots[i].node] = (uint32_t)costs->places.count - 1;
        keys->lines[spots[i].node] = (uint32_t)costs->lines.count - 1;
        keys->files[spots[i].node] = (uint32_t)costs->files.count - 1;
    }
    free(spots);
    return err;
}

/* Each line is called by its heaviest function. */
static void name_lines(struct line_costs *costs)
{
    size_t at = 0;
    vec_each (line, &costs->lines) {
        const struct line_place *heaviest = &costs->places.items[at];
        for (uint32_t i = 0; i < line->functions; i++) {
            const struct line_place *place = &costs->places.items[at++];
            if (magnitude(place->sum.total_value) > magnitude(heaviest->sum.total_value))
                heaviest = place;
        }
        line->function = heaviest->function;
        INVARIANT(line->functions > 0 && at <= costs->places.count);
    }
}

static int sum_all(const struct call_tree *tree, const struct keys *keys, struct line_costs *costs)
{
    INVARIANT(costs->files.count <= costs->lines.count &&
              costs->lines.count <= costs->places.count);
    size_t const most = costs->places.count;
    struct tree_sum *sums = calloc(most + 1, sizeof(*sums));
    int err = sums ? call_tree_sum(tree, keys->places, costs->places.count, sums) : -ENOMEM;
    for (size_t i = 0; i < costs->places.count && !err; i++)
        costs->places.items[i].sum = sums[i];
    if (!err) {
        memset(sums, 0, (most + 1) * sizeof(*sums));
        err = call_tree_sum(tree, keys->lines, costs->lines.count, sums);
    }
    for (size_t i = 0; i < costs->lines.count && !err; i++)
        costs->lines.items[i].sum = sums[i];
    if (!err) {
        memset(sums, 0, (most + 1) * sizeof(*sums));
        err = call_tree_sum(tree, keys->files, costs->files.count, sums);
    }
    for (size_t i = 0; i < costs->files.count && !err; i++)
        costs->files.items[i].sum = sums[i];
    free(sums);
    return err;
}

static int build(const struct call_tree *tree, struct line_costs *costs)
{
    size_t const bytes = tree->nodes.count * sizeof(uint32_t);
    struct keys keys = {malloc(bytes), malloc(bytes), malloc(bytes)};
    int err = keys.places && keys.lines && keys.files ? 0 : -ENOMEM;
    if (!err) {
        memset(keys.places, 0xff, bytes); /* TREE_NO_KEY */
        memset(keys.lines, 0xff, bytes);
        memset(keys.files, 0xff, bytes);
        err = make_places(tree, costs, &keys);
    }
    if (!err)
        err = sum_all(tree, &keys, costs);
    free(keys.places);
    free(keys.lines);
    free(keys.files);
    return err;
}

int line_costs_build(struct recording *recording, const struct weights *weights,
                     struct line_costs *costs)
{
    struct call_tree tree;
    *costs = (struct line_costs){0};
    int err = call_tree_build(recording, weights, false, MERGE_LINE, &tree);
    if (err)
        return err;
    err = build(&tree, costs);
    call_tree_fini(&tree);
    if (err) {
        line_costs_fini(costs);
        return err;
    }
    name_lines(costs);
    vec_each (file, &costs->files)
        costs->placed_value =
            (int64_t)((uint64_t)costs->placed_value + (uint64_t)file->sum.self_value);
    if (costs->files.count)
        qsort_r(costs->files.items, costs->files.count, sizeof(costs->files.items[0]), by_cost,
                recording);
    return 0;
}

void line_costs_fini(struct line_costs *costs)
{
    vec_free(&costs->files);
    vec_free(&costs->lines);
    vec_free(&costs->places);
}

const struct file_cost *line_costs_find(const struct recording *recording,
                                        const struct line_costs *costs, const char *file)
{
    vec_each (one, &costs->files)
        if (strcmp(recording_text(recording, one->file), file) == 0)
            return one;
    return NULL;
}

const struct file_cost *line_costs_of_function(const struct recording *recording,
                                               const struct line_costs *costs, const char *function)
{
    struct {
        string_id file;
        uint64_t self, total;
    } now = {STRING_EMPTY, 0, 0}, best = now;
    vec_each (place, &costs->places) {
        if (strcmp(recording_text(recording, place->function), function) != 0)
            continue;
        if (place->file != now.file) {
            now.file = place->file;
            now.self = now.total = 0;
        }
        now.self += magnitude(place->sum.self_value);
        now.total += magnitude(place->sum.total_value);
        if (best.file == STRING_EMPTY || now.self > best.self ||
            (now.self == best.self && now.total > best.total))
            best = now;
    }
    return best.file == STRING_EMPTY
               ? NULL
               : line_costs_find(recording, costs, recording_text(recording, best.file));
}
