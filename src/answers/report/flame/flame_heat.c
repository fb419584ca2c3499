/* SPDX-License-Identifier: Apache-2.0 */
#include "report/flame/flame_heat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "report/flame/flame_data.h"
#include "report/pictures/picture_text.h"

#define NODES_MAX  30000 /* of stacks in the file */
#define SPREAD_MAX 64    /* times the median that a linear scale still shows */

static int by_falling_value(const void *left, const void *right)
{
    int64_t const a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? 1 : a > b ? -1 : 0;
}

/* The least value of the NODES_MAX heaviest nodes. */
static int least_kept(const struct call_tree *tree, int64_t *least)
{
    *least = 0;
    if (tree->nodes.count <= NODES_MAX)
        return 0;
    int64_t *values = calloc(tree->nodes.count, sizeof(values[0]));
    if (!values)
        return -ENOMEM;
    for (size_t i = 0; i < tree->nodes.count; i++)
        values[i] = tree->nodes.items[i].value;
    qsort(values, tree->nodes.count, sizeof(values[0]), by_falling_value);
    *least = values[NODES_MAX] + 1;
    free(values);
    return 0;
}

static int number_nodes(struct flame_heat *heat, const struct call_tree *tree)
{
    int64_t least;
    int err = least_kept(tree, &least);
    heat->numbers = calloc(tree->nodes.count, sizeof(heat->numbers[0]));
    if (err || !heat->numbers)
        return -ENOMEM;
    for (uint32_t i = 0; i < tree->nodes.count; i++) {
        const struct call_node *node = &tree->nodes.items[i];
        if (i > 0 && node->value < least) {
            heat->numbers[i] = heat->numbers[node->parent]; /* a caller comes first */
            heat->merged++;
            continue;
        }
        heat->numbers[i] = (uint32_t)heat->kept.count;
        if (!vec_push(&heat->kept, i))
            return -ENOMEM;
    }
    return 0;
}

/* What a sample stands for: the value of the first part that is one. */
static int64_t common_value(const struct heat_map *map)
{
    vec_each (part, &map->parts)
        if (part->count == 1)
            return part->value;
    return 0;
}

/* Steps of equal size, whole samples; or, when a few cells have many times what most have, of
 * equal ratio. */
static void set_levels(struct flame_heat *heat, int64_t most, int64_t middle)
{
    bool const is_linear = most / SPREAD_MAX <= middle;
    int64_t const unit = is_linear && heat->one > 0 ? heat->one : 1;
    int64_t const units = most / unit;
    size_t const used = (uint64_t)units < HEAT_LEVELS ? (size_t)units : HEAT_LEVELS;
    double ratio = (double)most;
    for (size_t i = used; i-- > 0;) {
        ratio /= 4;
        heat->levels[i] = is_linear ? (int64_t)((double)units * (double)i / (double)used + 1) * unit
                                    : (int64_t)ratio;
    }
    heat->levels[0] = 1;
    for (size_t i = 1; i < used; i++)
        if (heat->levels[i] < 2)
            heat->levels[i] = 2;
}

static int choose_levels(struct flame_heat *heat)
{
    size_t const slots = (size_t)heat->map->columns * HEAT_ROWS;
    size_t filled = 0;
    heat->cells = calloc(slots, sizeof(heat->cells[0]));
    int64_t *sorted = calloc(slots, sizeof(sorted[0]));
    if (!heat->cells || !sorted) {
        free(sorted);
        return -ENOMEM;
    }
    vec_each (part, &heat->map->parts)
        heat->cells[part->slot] += part->value;
    for (size_t i = 0; i < slots; i++)
        if (heat->cells[i] > 0)
            sorted[filled++] = heat->cells[i];
    qsort(sorted, filled, sizeof(sorted[0]), by_falling_value);
    if (filled)
        set_levels(heat, sorted[0], sorted[filled / 2]);
    free(sorted);
    return 0;
}

static void tell_map(const struct flame_heat *heat, const struct metric *metric,
                     struct picture_text *line)
{
    const struct heat_map *map = heat->map;
    char column[HUMAN_MAX], row[HUMAN_MAX], count[HUMAN_MAX];
    const char *noun = flame_noun(metric);
    picture_add(line, "each column is %s, from bottom to top in rows of %s",
                human_duration(map->column_ns, column), human_duration(heat_row_ns(map), row));
    if (map->is_crowded)
        picture_add(line, " (coarser, because there are so many different stacks)");
    else if (map->column_ns > HEAT_COLUMN_FIRST)
        picture_add(line, " (coarser, because the time is long)");
    if (metric->count_plus == COL_OFFCPU_COUNT)
        picture_add(line, "; a wait counts where it ended");
    if (map->timeless_count)
        picture_add(line, "; %s %s%s without their instant are not on the map, only in the graph",
                    human_count(map->timeless_count, count), noun,
                    map->timeless_count == 1 ? "" : "s");
    if (heat->merged)
        picture_add(line, "; of stretches, %s small frames count for their callers",
                    human_count(heat->merged, count));
}

static int draw(struct recording *recording, const struct moment_sums *sums,
                const struct weights *weights, const struct call_tree trees[2],
                struct flame_options *options, struct svg_out *out, struct fault *fault)
{
    struct heat_map map = {0};
    struct flame_heat heat = {.map = &map, .file = options->file};
    struct picture_text line = {""};
    uint32_t *names = calloc(sums->rows.count + 1, sizeof(names[0]));
    int err = names ? number_nodes(&heat, &trees[0]) : -ENOMEM;
    for (size_t i = 0; i < sums->rows.count && !err; i++)
        names[i] = heat.numbers[trees[0].leaves.items[i]];
    if (!err)
        err = heat_map_build(recording, sums, names, &map, fault);
    if (!err && sums->metric->plus == COL_CPU_NS)
        heat.one = common_value(&map);
    if (!err)
        err = choose_levels(&heat);
    if (!err) {
        tell_map(&heat, sums->metric, &line);
        options->lines[0] = line.text;
        options->heat = &heat;
        struct flame_trees const both = {.top_down = &trees[0], .bottom_up = &trees[1]};
        err = flame_svg_draw(recording, &both, weights, options, out);
    }
    free(names);
    free(heat.numbers);
    free(heat.cells);
    vec_free(&heat.kept);
    heat_map_fini(&map);
    return err;
}

int flame_heat_render(struct recording *recording, const struct moment_sums *sums,
                      const struct weights *weights, const struct flame_options *options,
                      struct svg_out *out, struct fault *fault)
{
    struct call_tree trees[2] = {{.nodes = {0}}, {.nodes = {0}}};
    struct flame_options told = *options;
    struct fault why = {.text = ""};
    int err = call_tree_build(recording, weights, false, MERGE_FUNCTION, &trees[0]);
    if (!err)
        err = call_tree_build(recording, weights, true, MERGE_FUNCTION, &trees[1]);
    if (!err)
        err = draw(recording, sums, weights, trees, &told, out, &why);
    call_tree_fini(&trees[0]);
    call_tree_fini(&trees[1]);
    if (!err)
        return 0;
    return fault_set(fault, err, "The picture could not be drawn: %s.",
                     why.text[0] ? why.text : strerror(-err));
}
