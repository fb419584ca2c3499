/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff/side_by_side.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/call_nodes.h"
#include "analyze/diff/side_parts.h"
#include "analyze/trees/stack_match.h"

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static int compare_falling(int64_t a, int64_t b)
{
    return magnitude(a) == magnitude(b) ? 0 : magnitude(a) > magnitude(b) ? -1 : 1;
}

int side_compare(const struct side_question *question, const struct side_value *a,
                 const struct side_value *b, bool by_self)
{
    for (unsigned i = 0; i < question->count; i++) {
        unsigned const at = (question->sort + i) % question->count;
        int order = by_self ? compare_falling(a[at].self_value, b[at].self_value) : 0;
        if (!order)
            order = compare_falling(a[at].total_value, b[at].total_value);
        if (order)
            return order;
    }
    return 0;
}

/* What makes two rows one; files and lines only where rows are lines. */
static int compare_names(const void *left, const void *right, void *context)
{
    const struct side_row *a = left, *b = right;
    const struct side_question *question = context;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (question->by != BY_LINE)
        return 0;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

struct side_order {
    const struct side_question *question;
    const struct recording *recording;
};

static int compare_rows(const void *left, const void *right, void *context)
{
    const struct side_row *a = left, *b = right;
    const struct side_order *order = context;
    int by = side_compare(order->question, a->values, b->values, true);
    struct call_node const one = {
        .function = a->function, .module = a->module, .file = a->file, .line = a->line};
    struct call_node const other = {
        .function = b->function, .module = b->module, .file = b->file, .line = b->line};
    if (!by)
        by = call_node_compare(order->recording, &one, &other);
    return by ? by : a->thread < b->thread ? -1 : a->thread > b->thread;
}

static int add_rows(struct side_by_side *sides, const struct rank *rank, unsigned metric)
{
    for (size_t i = 0; i < rank->rows.count; i++) {
        const struct rank_row *row = &rank->rows.items[i];
        struct side_row added = {row->function, row->module, row->file,
                                 row->line,     row->thread, {{0}}};
        added.values[metric] = (struct side_value){row->self_value, row->self_count,
                                                   row->total_value, row->total_count};
        if (!vec_push(&sides->rows, added))
            return -ENOMEM;
    }
    return 0;
}

/* Rows of one name, which each have one metric, become one. */
static void join_rows(struct side_by_side *sides, const struct recording *recording)
{
    struct side_order order = {&sides->question, recording};
    size_t kept = 0;
    if (sides->rows.count == 0)
        return;
    qsort_r(sides->rows.items, sides->rows.count, sizeof(sides->rows.items[0]), compare_names,
            &sides->question);
    for (size_t i = 1; i < sides->rows.count; i++) {
        struct side_row *into = &sides->rows.items[kept];
        const struct side_row *row = &sides->rows.items[i];
        if (compare_names(into, row, &sides->question) != 0) {
            sides->rows.items[++kept] = *row;
            continue;
        }
        for (unsigned k = 0; k < sides->question.count; k++)
            if (row->values[k].total_value || row->values[k].total_count)
                into->values[k] = row->values[k];
        if (into->file != row->file || into->line != row->line)
            into->line = 0; /* several places of one function */
        if (into->file != row->file)
            into->file = STRING_EMPTY;
    }
    sides->rows.count = kept + 1;
    qsort_r(sides->rows.items, sides->rows.count, sizeof(sides->rows.items[0]), compare_rows,
            &order);
}

static int weigh(struct recording *recording, const struct side_question *question, unsigned metric,
                 struct weights *weights, struct fault *fault)
{
    return question->by == BY_THREAD ? weigh_threads(recording, question->metrics[metric],
                                                     question->range, weights, fault)
                                     : weigh_stacks(recording, question->metrics[metric],
                                                    question->range, weights, fault);
}

static int arrange(struct side_builder *builder, struct recording *recording,
                   const struct weights *weights, unsigned metric)
{
    struct side_by_side *sides = builder->sides;
    struct rank rank;
    struct call_tree tree;
    int err = rank_build(recording, weights, sides->question.by, &rank);
    if (err)
        return err;
    err = add_rows(sides, &rank, metric);
    rank_fini(&rank);
    if (err || sides->question.by == BY_THREAD)
        return err;
    err = call_tree_build(recording, weights, false,
                          sides->question.by == BY_MODULE ? MERGE_MODULE : MERGE_FUNCTION, &tree);
    if (err)
        return err;
    err = side_tree_add(builder, &tree, metric);
    call_tree_fini(&tree);
    return err;
}

static int add_metric(struct side_builder *builder, struct recording *recording, unsigned metric,
                      struct fault *fault)
{
    struct side_by_side *sides = builder->sides;
    struct side_column *column = &sides->columns[metric];
    struct weights weights;
    int err = weigh(recording, &sides->question, metric, &weights, fault);
    if (err)
        return err;
    column->whole_value = weights.total_value;
    column->whole_count = weights.total_count;
    column->used = weights.used;
    if (sides->question.filter)
        err = weights_keep_pattern(recording, sides->question.filter, &weights, fault);
    column->value = weights.total_value;
    column->count = weights.total_count;
    if (!err)
        err = arrange(builder, recording, &weights, metric);
    weights_fini(&weights);
    return err == -ENOMEM ? fault_set(fault, err, "out of memory while adding up %s",
                                      sides->question.metrics[metric]->name)
                          : err;
}

int side_by_side_build(struct recording *recording, const struct side_question *question,
                       struct side_by_side *sides, struct fault *fault)
{
    struct side_builder builder = {.sides = sides};
    int err = 0;
    memset(sides, 0, sizeof(*sides));
    sides->question = *question;
    for (unsigned i = 0; i < question->count && !err; i++)
        err = add_metric(&builder, recording, i, fault);
    side_builder_fini(&builder);
    if (!err) {
        join_rows(sides, recording);
        err = side_tree_link(sides, recording);
        if (err)
            fault_set(fault, err, "out of memory while arranging the rows");
    }
    if (err)
        side_by_side_fini(sides);
    return err;
}

void side_by_side_fini(struct side_by_side *sides)
{
    vec_free(&sides->rows);
    vec_free(&sides->tree);
}

struct side_ratio side_ratio_of(const struct side_question *question, unsigned left)
{
    const char *first = question->metrics[left]->unit, *second = question->metrics[left + 1]->unit;
    struct side_ratio ratio = {SIDE_TIMES, left + 1, left, ""};
    if (strcmp(first, second) == 0)
        return ratio;
    bool const has_time = strcmp(first, "ns") == 0 || strcmp(second, "ns") == 0;
    const char *divisor = has_time ? "ns" : "calls";
    if (strcmp(second, divisor) == 0)
        ratio = (struct side_ratio){SIDE_TIMES, left, left + 1, ""};
    const char *above = question->metrics[ratio.above]->unit;
    ratio.kind = has_time ? SIDE_PER_SECOND : SIDE_EACH;
    const char *below = question->metrics[ratio.below]->unit;
    if (has_time)
        snprintf(ratio.unit, sizeof(ratio.unit), "%.39s/s", above);
    else
        snprintf(ratio.unit, sizeof(ratio.unit), "%.39s/%.39s", above,
                 strcmp(below, "calls") == 0 ? "call" : below);
    return ratio;
}

double side_ratio_value(const struct side_ratio *ratio, const struct side_value *values)
{
    double const above = (double)values[ratio->above].total_value;
    double const below = (double)values[ratio->below].total_value;
    if (below == 0)
        return NAN;
    return above / (ratio->kind == SIDE_PER_SECOND ? below / 1e9 : below);
}
