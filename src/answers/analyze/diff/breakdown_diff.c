/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff/breakdown_diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const struct breakdown_change *a, const struct breakdown_change *b)
{
    if (a->section != b->section)
        return a->section < b->section ? -1 : 1;
    int const labels = strcmp(a->label, b->label);
    return labels ? labels : strcmp(a->item, b->item);
}

static int compare_names(const void *left, const void *right)
{
    return by_name(left, right);
}

int64_t breakdown_change_of(const struct breakdown_change *change, enum memory_figure figure)
{
    return (int64_t)(memory_figure_of(&change->after, figure) -
                     memory_figure_of(&change->before, figure));
}

static uint64_t size_of_change(const struct breakdown_change *change, enum memory_figure figure)
{
    int64_t const by = breakdown_change_of(change, figure);
    return by < 0 ? 0 - (uint64_t)by : (uint64_t)by;
}

static int compare_changes(const void *left, const void *right, void *context)
{
    const struct breakdown_diff *diff = context;
    uint64_t const a = size_of_change(left, diff->figure), b = size_of_change(right, diff->figure);
    if (a != b)
        return a > b ? -1 : 1;
    return by_name(left, right);
}

static bool add_all(struct breakdown_diff *diff, const struct breakdown *breakdown, bool is_after)
{
    vec_each (leaf, &breakdown->leaves) {
        struct breakdown_change change = {leaf->section, leaf->label, leaf->item, {0}, {0}};
        *(is_after ? &change.after : &change.before) = leaf->bytes;
        if (!vec_push(&diff->changes, change))
            return false;
    }
    return true;
}

/* Those of one name stand together. */
static void join(struct breakdown_diff *diff)
{
    struct breakdown_change *changes = diff->changes.items;
    size_t kept = 0;
    for (size_t i = 0; i < diff->changes.count; i++) {
        if (kept > 0 && by_name(&changes[kept - 1], &changes[i]) == 0) {
            memory_bytes_add(&changes[kept - 1].before, &changes[i].before);
            memory_bytes_add(&changes[kept - 1].after, &changes[i].after);
        } else {
            changes[kept++] = changes[i];
        }
    }
    diff->changes.count = kept;
}

int breakdown_diff_make(struct breakdown_diff *diff, const struct breakdown *before,
                        const struct breakdown *after, enum memory_figure figure)
{
    *diff = (struct breakdown_diff){.figure = figure};
    if (!add_all(diff, before, false) || !add_all(diff, after, true)) {
        breakdown_diff_fini(diff);
        return -ENOMEM;
    }
    if (diff->changes.count == 0)
        return 0;
    qsort(diff->changes.items, diff->changes.count, sizeof(*diff->changes.items), compare_names);
    join(diff);
    qsort_r(diff->changes.items, diff->changes.count, sizeof(*diff->changes.items), compare_changes,
            diff);
    return 0;
}

void breakdown_diff_fini(struct breakdown_diff *diff)
{
    vec_free(&diff->changes);
}
