/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pprof/pprof_cells.h"

#include <errno.h>
#include <stdlib.h>

#include "formats/pprof/pprof_labels.h"

#define THREADS_MOST 1024 /* that are told apart: looking for one walks them */

int pprof_cells_compare(const void *left, const void *right)
{
    const struct cell *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

void pprof_cells_tidy(struct pprof_cell_list *list)
{
    struct cell *items = list->cells.items;
    size_t kept = 0;
    if (list->cells.count > 1)
        qsort(items, list->cells.count, sizeof(items[0]), pprof_cells_compare);
    for (size_t i = 0; i < list->cells.count;) {
        struct cell sum = items[i];
        for (i++; i < list->cells.count && pprof_cells_compare(&items[i], &sum) == 0; i++)
            sum.value = pprof_wrap_add(sum.value, items[i].value);
        if (sum.value)
            items[kept++] = sum;
    }
    list->cells.count = kept;
}

void pprof_cells_fini(struct pprof_cells *cells)
{
    vec_free(&cells->stacks.cells);
    vec_free(&cells->threads.cells);
    vec_free(&cells->peak.cells);
}

static bool put(struct pprof_cell_list *list, uint32_t key, unsigned column, int64_t value)
{
    return value == 0 || vec_push(&list->cells, (struct cell){key, (uint16_t)column, value});
}

/* Freed is what was allocated and is not live.  A file that has only what is live begins with
 * that. */
static bool put_heap(struct pprof_cell_list *list, uint32_t key, const bool *has,
                     const int64_t *roles)
{
    static const struct {
        enum pprof_role alloc, live;
        enum column plus, minus;
    } pairs[] = {{ROLE_ALLOC_COUNT, ROLE_LIVE_COUNT, COL_HEAP_CALLS, COL_HEAP_FREES},
                 {ROLE_ALLOC_BYTES, ROLE_LIVE_BYTES, COL_HEAP_BYTES, COL_HEAP_FREED}};
    bool fine = true;
    for (size_t i = 0; i < 2; i++) {
        int64_t const alloc = roles[pairs[i].alloc], live = roles[pairs[i].live];
        bool const has_both = has[pairs[i].alloc] && has[pairs[i].live];
        fine = fine && put(list, key, pairs[i].plus, has[pairs[i].alloc] ? alloc : live) &&
               (!has_both || put(list, key, pairs[i].minus,
                                 pprof_wrap_add(alloc, (int64_t)(0 - (uint64_t)live))));
    }
    return fine;
}

static bool is_named(const struct pprof_profile *profile, uint32_t key, const char *name)
{
    return slice_equals(pprof_text(profile, key), slice_of(name));
}

/* The thread of a name; a new one if there is none. */
static int find_thread(struct pprof_frames *frames, uint32_t string, uint32_t *thread)
{
    struct recording *recording = frames->recording;
    string_id name;
    if (pprof_frames_string(frames, string, &name) < 0)
        return -ENOMEM;
    for (*thread = 0; *thread < recording->threads.count; (*thread)++)
        if (recording->threads.items[*thread].name == name)
            return 0;
    return vec_push(&recording->threads, (struct thread){.name = name, .merged = 1}) ? 0 : -ENOMEM;
}

/* What labels say: sizes of blocks, and of which thread it is (UINT32_MAX: not said). */
static int read_labels(struct pprof_cells *cells, struct pprof_frames *frames,
                       const struct pprof_sample *sample, uint32_t *thread, int64_t *block_bytes)
{
    const struct pprof_profile *profile = frames->profile;
    bool left_out = false;
    *thread = UINT32_MAX;
    *block_bytes = -1;
    for (uint32_t i = 0; i < sample->label_count; i++) {
        const struct pprof_label *label = &profile->labels.items[sample->first_label + i];
        if (!label->text && is_named(profile, label->key, "bytes")) {
            *block_bytes = label->number;
        } else if (label->text && is_named(profile, label->key, "thread") &&
                   frames->recording->threads.count < THREADS_MOST) {
            if (find_thread(frames, label->text, thread) < 0)
                return -ENOMEM;
        } else if (label->text || label->number || label->unit) {
            left_out = true;
            cells->left_out_key = label->key;
        }
    }
    cells->labels_left_out += left_out;
    return 0;
}

static bool put_sample(struct pprof_cell_list *list, uint32_t key,
                       const struct pprof_columns *columns, const struct pprof_profile *profile,
                       size_t sample)
{
    int64_t roles[ROLES] = {0};
    bool fine = true;
    for (unsigned i = 0; i < columns->count; i++) {
        int64_t const value = (int64_t)((uint64_t)pprof_value(profile, sample, i) *
                                        (uint64_t)columns->items[i].factor);
        roles[columns->items[i].role] = value;
        if (columns->items[i].role == ROLE_CELL)
            fine = fine && put(list, key, columns->items[i].column, value);
    }
    return fine && put_heap(list, key, columns->has, roles);
}

static bool put_peak(struct pprof_cell_list *list, uint32_t key,
                     const struct pprof_columns *columns, const struct pprof_profile *profile,
                     size_t sample)
{
    bool fine = true;
    for (unsigned i = 0; i < columns->count; i++) {
        enum pprof_role const role = columns->items[i].role;
        if (role == ROLE_PEAK_COUNT || role == ROLE_PEAK_BYTES)
            fine = fine && put(list, key, role == ROLE_PEAK_COUNT ? COL_HEAP_CALLS : COL_HEAP_BYTES,
                               pprof_value(profile, sample, i));
    }
    return fine;
}

/* How many blocks of a size were allocated, for the histogram. */
static bool put_size(struct pprof_cell_list *list, uint32_t key,
                     const struct pprof_columns *columns, const struct pprof_profile *profile,
                     size_t sample, int64_t block_bytes)
{
    enum pprof_role const wanted =
        columns->has[ROLE_ALLOC_COUNT] ? ROLE_ALLOC_COUNT : ROLE_LIVE_COUNT;
    for (unsigned i = 0; i < columns->count && block_bytes >= 0; i++)
        if (columns->items[i].role == wanted)
            return put(list, key, COL_SIZE_0 + size_class((uint64_t)block_bytes),
                       pprof_value(profile, sample, i));
    return true;
}

/* Of the cells from `first` on, which are those of the sample. */
static bool keep_labels(struct pprof_labels *labels, struct pprof_frames *frames,
                        const struct pprof_sample *sample, const struct pprof_cells *cells,
                        size_t first)
{
    size_t const count = cells->stacks.cells.count - first;
    return count == 0 ||
           pprof_labels_add(labels, frames, sample, &cells->stacks.cells.items[first], count) == 0;
}

int pprof_cells_make(struct pprof_cells *cells, struct pprof_frames *frames,
                     const struct pprof_columns *columns, stack_id outer)
{
    const struct pprof_profile *profile = frames->profile;
    struct pprof_labels labels = {0};
    bool fine = true;
    *cells = (struct pprof_cells){0};
    for (size_t i = 0; fine && i < profile->samples.count; i++) {
        const struct pprof_sample *sample = &profile->samples.items[i];
        size_t const before = cells->stacks.cells.count;
        uint32_t thread;
        int64_t block_bytes;
        stack_id stack;
        fine = pprof_frames_stack(frames, sample, outer, &stack) == 0 &&
               read_labels(cells, frames, sample, &thread, &block_bytes) == 0 &&
               put_sample(&cells->stacks, stack, columns, profile, i) &&
               (outer != STACK_EMPTY || keep_labels(&labels, frames, sample, cells, before)) &&
               put_peak(&cells->peak, stack, columns, profile, i) &&
               put_size(&cells->stacks, stack, columns, profile, i, block_bytes) &&
               (thread == UINT32_MAX || put_sample(&cells->threads, thread, columns, profile, i));
    }
    pprof_labels_fini(&labels);
    pprof_cells_tidy(&cells->stacks);
    pprof_cells_tidy(&cells->threads);
    pprof_cells_tidy(&cells->peak);
    return fine ? 0 : -ENOMEM;
}
