/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pprof/pprof_series.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/invariant.h"
#include "formats/pprof/pprof_series_parts.h"
#include "formats/shared/value_bound.h"

int pprof_series_init(struct pprof_series *series, struct recording *recording)
{
    *series = (struct pprof_series){.recording = recording};
    return pprof_frames_init(&series->frames, recording);
}

void pprof_series_fini(struct pprof_series *series)
{
    pprof_frames_fini(&series->frames);
    vec_each (node, &series->nodes) {
        vec_free(&node->levels.cells);
        vec_free(&node->thread_levels.cells);
    }
    vec_free(&series->nodes);
    vec_free(&series->open.cells);
    vec_free(&series->open_threads.cells);
}

int pprof_series_add_node(struct pprof_series *series, const char *name, uint32_t *node)
{
    struct pprof_node made = {.outer = STACK_EMPTY};
    if (name) {
        string_id const id = recording_intern(series->recording, name);
        if (id == STRING_EMPTY || recording_name_stack(series->recording, id, &made.outer) < 0)
            return -ENOMEM;
    }
    *node = (uint32_t)series->nodes.count;
    return vec_push(&series->nodes, made) ? 0 : -ENOMEM;
}

static bool append(struct pprof_cell_list *list, struct cell cell)
{
    return cell.value == 0 || vec_push(&list->cells, cell);
}

/* Whether anything that only adds up became less. */
static bool is_restarted(const struct pprof_series *series, const struct pprof_cell_list *before,
                         const struct pprof_cell_list *now)
{
    size_t at = 0;
    for (size_t i = 0; i < before->cells.count; i++) {
        const struct cell *old = &before->cells.items[i];
        if (!series->is_cumulative[old->column])
            continue;
        while (at < now->cells.count && pprof_cells_compare(&now->cells.items[at], old) < 0)
            at++;
        bool const is_there =
            at < now->cells.count && pprof_cells_compare(&now->cells.items[at], old) == 0;
        if ((is_there ? now->cells.items[at].value : 0) < old->value)
            return true;
    }
    return false;
}

static bool is_stretch(unsigned column)
{
    return column == COL_CPU_NS || column == COL_CPU_SAMPLES;
}

static bool is_wait(unsigned column)
{
    return column == COL_OFFCPU_NS || column == COL_OFFCPU_COUNT;
}

/* What a column of allocations becomes when it is given back. */
static unsigned freed_column(unsigned column)
{
    return column == COL_HEAP_CALLS   ? COL_HEAP_FREES
           : column == COL_HEAP_BYTES ? COL_HEAP_FREED
                                      : 0;
}

/* now - before.  Of files that have only what is live, less of it is freed. */
static bool put_change(const struct pprof_series *series, struct pprof_cell_list *out,
                       struct cell cell, int64_t before)
{
    unsigned const freed = freed_column(cell.column);
    cell.value = pprof_wrap_add(cell.value, (int64_t)(0 - (uint64_t)before));
    if (freed && cell.value < 0 && !series->is_cumulative[cell.column]) {
        cell.column = (uint16_t)freed;
        cell.value = (int64_t)(0 - (uint64_t)cell.value);
    }
    return append(out, cell);
}

static bool put_changes(const struct pprof_series *series, const struct pprof_cell_list *before,
                        const struct pprof_cell_list *now, struct pprof_cell_list *out)
{
    size_t i = 0, k = 0;
    bool fine = true;
    while (fine && (i < before->cells.count || k < now->cells.count)) {
        const struct cell *old = i < before->cells.count ? &before->cells.items[i] : NULL;
        const struct cell *new = k < now->cells.count ? &now->cells.items[k] : NULL;
        INVARIANT(old || new); /* or the loop had ended */
        int const order = !old ? 1 : !new ? -1 : pprof_cells_compare(old, new);
        struct cell cell = order < 0 ? (struct cell){old->key, old->column, 0} : *new;
        if (is_stretch(cell.column))
            fine = order < 0 || append(out, cell);
        else
            fine = put_change(series, out, cell, order <= 0 ? old->value : 0);
        i += order <= 0;
        k += order >= 0;
    }
    return fine;
}

/* Everything of the process before is given back; what only adds up began anew. */
static bool put_restart(const struct pprof_cell_list *before, const struct pprof_cell_list *now,
                        struct pprof_cell_list *out)
{
    bool fine = true;
    vec_each (old, &before->cells) {
        unsigned const freed = freed_column(old->column);
        struct cell cell = *old;
        if (is_stretch(cell.column) || is_wait(cell.column) ||
            (cell.column >= COL_SIZE_0 && cell.column < COL_LIFETIME_0))
            continue;
        if (freed)
            cell.column = (uint16_t)freed;
        else
            cell.value = (int64_t)(0 - (uint64_t)cell.value); /* freed already, or a level */
        fine = fine && append(out, cell);
    }
    vec_each (new, &now->cells)
        fine = fine && append(out, *new);
    return fine;
}

/* What was there when the run began: what is live, and no waits of before. */
static bool put_first(const struct pprof_cell_list *now, struct pprof_cell_list *out)
{
    bool fine = true;
    vec_each (new, &now->cells) {
        struct cell cell = *new;
        bool const is_size = cell.column >= COL_SIZE_0 && cell.column < COL_LIFETIME_0;
        if (is_wait(cell.column) || is_size)
            continue;
        if (cell.column == COL_HEAP_FREES || cell.column == COL_HEAP_FREED) {
            cell.column = cell.column == COL_HEAP_FREES ? COL_HEAP_CALLS : COL_HEAP_BYTES;
            cell.value = (int64_t)(0 - (uint64_t)cell.value);
        }
        fine = fine && append(out, cell);
    }
    return fine;
}

/* Takes the levels of `now` into the node. */
static int book(struct pprof_series *series, struct pprof_node *node, struct pprof_cells *now)
{
    bool fine;
    bool const restarted = is_restarted(series, &node->levels, &now->stacks);
    if (node->profiles == 0 && series->is_run)
        fine = put_first(&now->stacks, &series->open) &&
               put_first(&now->threads, &series->open_threads);
    else if (restarted)
        fine = put_restart(&node->levels, &now->stacks, &series->open) &&
               put_restart(&node->thread_levels, &now->threads, &series->open_threads);
    else
        fine = put_changes(series, &node->levels, &now->stacks, &series->open) &&
               put_changes(series, &node->thread_levels, &now->threads, &series->open_threads);
    node->restarts += restarted;
    node->profiles++;
    vec_free(&node->levels.cells);
    vec_free(&node->thread_levels.cells);
    node->levels = now->stacks;
    node->thread_levels = now->threads;
    now->stacks = now->threads = (struct pprof_cell_list){0};
    return fine ? 0 : -ENOMEM;
}

static void note_columns(struct pprof_series *series, const struct pprof_columns *columns)
{
    bool const has_alloc = columns->has[ROLE_ALLOC_BYTES] || columns->has[ROLE_ALLOC_COUNT];
    series->is_cumulative[COL_HEAP_CALLS] |= has_alloc;
    series->is_cumulative[COL_HEAP_BYTES] |= has_alloc;
    series->is_cumulative[COL_OFFCPU_COUNT] = series->is_cumulative[COL_OFFCPU_NS] = true;
    series->has_heap |= pprof_columns_have_heap(columns);
    series->has_live |= columns->has[ROLE_LIVE_BYTES] || columns->has[ROLE_LIVE_COUNT];
    series->has_time |= columns->has_cpu || columns->has_waits;
    series->columns_left_out += columns->left_out;
}

static void note_profile(struct pprof_series *series, const struct pprof_profile *profile,
                         const struct pprof_cells *cells)
{
    bool const is_of_space =
        slice_equals(pprof_text(profile, profile->period_type.type), slice_of("space"));
    series->odd_lines += profile->odd_lines;
    if (profile->came < profile->told && series->missing == 0)
        series->missing_share = 1 - (double)profile->came / (double)profile->told;
    series->missing += profile->came < profile->told;
    series->lacks_break += profile->lacks_break;
    series->bad_drops += pprof_drop_is_bad(&series->frames.drop);
    if (is_of_space && profile->period > 1 && (uint64_t)profile->period > series->period)
        series->period = (uint64_t)profile->period;
    if (slice_equals(pprof_text(profile, profile->period_type.type), slice_of("cpu")) &&
        slice_equals(pprof_text(profile, profile->period_type.unit), slice_of("nanoseconds")) &&
        profile->period > 0 && profile->period <= (int64_t)NS_PER_SECOND)
        series->hz = NS_PER_SECOND / (uint64_t)profile->period;
    if (cells->labels_left_out && series->labels_left_out == 0) {
        struct slice const key = pprof_text(profile, cells->left_out_key);
        snprintf(series->label_key, sizeof(series->label_key), "%.*s",
                 (int)(key.size < 60 ? key.size : 60), key.data);
    }
    series->labels_left_out += cells->labels_left_out;
}

/* No value of a column wraps, nor does any sum of them. */
static bool is_within_bound(const struct pprof_columns *columns,
                            const struct pprof_profile *profile)
{
    for (unsigned column = 0; column < columns->count; column++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < profile->samples.count; i++)
            if (!value_bound_add(&sum, pprof_value(profile, i, column),
                                 (uint64_t)columns->items[column].factor))
                return false;
    }
    return true;
}

int pprof_series_add(struct pprof_series *series, uint32_t node, uint64_t at_ns,
                     const struct pprof_profile *profile)
{
    struct pprof_columns columns;
    struct pprof_cells cells = {0};
    int err = at_ns > series->end_ns ? pprof_series_close_bucket(series) : 0;
    if (err < 0)
        return err;
    if (at_ns > series->end_ns)
        series->end_ns = at_ns;
    pprof_columns_make(&columns, profile, series->recording);
    if (!is_within_bound(&columns, profile))
        return -EOVERFLOW;
    note_columns(series, &columns);
    err = pprof_frames_begin(&series->frames, profile);
    if (err == 0)
        err = pprof_cells_make(&cells, &series->frames, &columns, series->nodes.items[node].outer);
    if (err == 0) {
        note_profile(series, profile, &cells);
        err = pprof_series_pin(series, &cells.peak);
    }
    if (err == 0)
        err = book(series, &series->nodes.items[node], &cells);
    pprof_cells_fini(&cells);
    pprof_frames_end(&series->frames);
    return err;
}
