/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "analyze/sums/sum_parts.h"

#define STRETCHES_MOST 512u /* From here on two stretches become one. */

int sum_pack(struct cell_sum *sum, struct packed_cells *packed, struct byte_buffer *scratch)
{
    int err = cell_sum_finish(sum);
    if (!err)
        err = packed_cells_make(packed, sum->list.items, sum->list.count, scratch);
    sum->list.count = sum->tidy = 0;
    return err;
}

int sum_unpack(struct cell_sum *sum, const struct packed_cells *packed, struct cell_list *scratch)
{
    scratch->count = 0;
    int const err = packed_cells_decode(packed, NULL, scratch);
    return err ? err : cell_sum_add(sum, scratch->items, scratch->count);
}

void sum_drawing_fini(struct sum_drawing *drawing)
{
    vec_each (node, &drawing->nodes)
        packed_cells_fini(&node->cells);
    vec_each (node, &drawing->totals)
        packed_cells_fini(&node->cells);
    vec_free(&drawing->nodes);
    vec_free(&drawing->totals);
    cell_sum_fini(&drawing->cells);
}

static bool is_of_class(unsigned column)
{
    return column >= COL_SIZE_0 && column < COL_RESIDENT_0;
}

/* Makes one node of two, and frees the two. */
static int join(struct sum_node *left, struct sum_node *right, struct sum_node *into,
                struct byte_buffer *scratch)
{
    struct cell_list cells = {0};
    struct cell_sum sum = {.tidy = 0};
    struct sum_node node = {.is_there = left->is_there && right->is_there};
    int err = node.is_there ? sum_unpack(&sum, &left->cells, &cells) : 0;
    if (node.is_there && !err)
        err = sum_unpack(&sum, &right->cells, &cells);
    if (node.is_there && !err)
        err = sum_pack(&sum, &node.cells, scratch);
    packed_cells_fini(&left->cells);
    packed_cells_fini(&right->cells);
    vec_free(&cells);
    cell_sum_fini(&sum);
    *into = node;
    return err;
}

/* The last stretch, when their number is odd, is the beginning of the one being summed. */
static int reopen_last(struct sum_drawing *drawing)
{
    struct cell_list cells = {0};
    struct sum_node *last = &drawing->nodes.items[--drawing->nodes.count];
    int const err = last->is_there ? sum_unpack(&drawing->cells, &last->cells, &cells) : 0;
    drawing->has_hole |= !last->is_there;
    packed_cells_fini(&last->cells);
    vec_free(&cells);
    return err;
}

static int halve(struct sum_drawing *drawing, struct byte_buffer *scratch)
{
    int err = drawing->nodes.count % 2 ? reopen_last(drawing) : 0;
    size_t const count = drawing->nodes.count;
    struct sum_node *nodes = drawing->nodes.items;
    drawing->bytes = 0;
    for (size_t i = 0; i < count; i += 2) {
        struct sum_node node;
        int const failed = join(&nodes[i], &nodes[i + 1], &node, scratch);
        err = err ? err : failed;
        nodes[i / 2] = node;
        drawing->bytes += node.cells.size;
    }
    drawing->nodes.count = count / 2;
    drawing->stretch *= 2;
    return err;
}

int sum_drawing_fit(struct sum_drawing *drawing, size_t bytes_most, struct byte_buffer *scratch)
{
    int err = 0;
    while (!err && drawing->nodes.count > 1 &&
           (drawing->nodes.count >= STRETCHES_MOST || drawing->bytes > bytes_most))
        err = halve(drawing, scratch);
    if (!err && drawing->bytes <= bytes_most)
        return 0;
    vec_each (node, &drawing->nodes) { /* No sums are better than half of the sums. */
        packed_cells_fini(&node->cells);
        node->is_there = false;
    }
    drawing->bytes = 0;
    return err;
}

static int finish_stretch(struct sum_drawing *drawing, size_t bytes_most,
                          struct byte_buffer *scratch)
{
    struct sum_node node = {.is_there = !drawing->has_hole};
    int const err = node.is_there ? sum_pack(&drawing->cells, &node.cells, scratch) : 0;
    drawing->cells.list.count = drawing->cells.tidy = 0;
    drawing->has_hole = false;
    if (err || !vec_push(&drawing->nodes, node)) {
        packed_cells_fini(&node.cells);
        return -ENOMEM;
    }
    drawing->bytes += node.cells.size;
    return sum_drawing_fit(drawing, bytes_most, scratch);
}

/* Cells are sorted by column, so size and lifetime classes are consecutive. */
static int add_cells(struct sum_drawing *drawing, const struct bucket *bucket)
{
    int err = 0;
    for (size_t at = 0, end; at < bucket->cell_count && !err; at = end) {
        bool const is_class = is_of_class(bucket->cells[at].column);
        for (end = at;
             end < bucket->cell_count && is_of_class(bucket->cells[end].column) == is_class;)
            end++;
        if (!is_class)
            err = cell_sum_add(&drawing->cells, bucket->cells + at, end - at);
    }
    return err;
}

static int add_totals(struct sum_drawing *drawing, const struct bucket *bucket,
                      struct byte_buffer *scratch)
{
    struct sum_node node = {.is_there = bucket != NULL};
    struct cell totals[COLUMN_LIMIT];
    uint64_t sums[COLUMN_LIMIT] = {0};
    size_t count = 0;
    for (size_t i = 0; bucket && i < bucket->cell_count; i++)
        if (bucket->cells[i].column < COLUMN_LIMIT)
            sums[bucket->cells[i].column] += (uint64_t)bucket->cells[i].value;
    for (unsigned i = 0; i < COLUMN_LIMIT; i++)
        if (sums[i] && !is_of_class(i))
            totals[count++] = (struct cell){STACK_EMPTY, (uint16_t)i, (int64_t)sums[i]};
    int const err = packed_cells_make(&node.cells, totals, count, scratch);
    if (!err && vec_push(&drawing->totals, node))
        return 0;
    packed_cells_fini(&node.cells);
    return -ENOMEM;
}

void sum_drawing_begin(struct sum_drawing *drawing, size_t buckets)
{
    for (drawing->stretch = 1; buckets / drawing->stretch >= STRETCHES_MOST;)
        drawing->stretch *= 2;
}

int sum_drawing_add(struct sum_drawing *drawing, const struct bucket *bucket, size_t bytes_most,
                    struct byte_buffer *scratch)
{
    int err = add_totals(drawing, bucket, scratch);
    if (!err && bucket && !drawing->has_hole)
        err = add_cells(drawing, bucket);
    drawing->has_hole |= !bucket;
    return !err && drawing->totals.count % drawing->stretch == 0
               ? finish_stretch(drawing, bytes_most, scratch)
               : err;
}
