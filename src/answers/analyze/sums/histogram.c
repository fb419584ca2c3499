/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sums/histogram.h"

#include <string.h>

#include "analyze/sums/bucket_walk.h"
#include "base/invariant.h"

struct histogram_adding {
    struct histogram_sites to;
    size_t stack_limit;
};

static void add_cell(const struct histogram_adding *adding, const struct cell *cell)
{
    unsigned const column = cell->column;
    unsigned const sizes = adding->to.of_pools ? COL_POOL_SIZE_0 : COL_SIZE_0;
    unsigned const lifetimes = adding->to.of_pools ? COL_POOL_LIFETIME_0 : COL_LIFETIME_0;
    bool const is_size = column >= sizes && column < sizes + SIZE_CLASSES;
    bool const is_lifetime = column >= lifetimes && column < lifetimes + LIFETIME_CLASSES;
    if ((!is_size && !is_lifetime) || cell->key >= adding->stack_limit)
        return;
    uint32_t const site = adding->to.site_of_stack ? adding->to.site_of_stack[cell->key] : 0;
    if (site == HISTOGRAM_SKIP)
        return;
    struct histogram *into = &adding->to.sites[site];
    if (is_size)
        into->sizes[column - sizes] += (uint64_t)cell->value;
    else
        into->lifetimes[column - lifetimes] += (uint64_t)cell->value;
}

static void add_bucket(void *into, const struct bucket *bucket)
{
    for (size_t i = 0; i < bucket->cell_count; i++)
        add_cell(into, &bucket->cells[i]);
}

int histogram_add(struct recording *recording, struct time_range *range,
                  struct histogram_sites sites, struct fault *fault)
{
    struct histogram_adding adding = {sites, (size_t)stack_table_count(recording->stacks) + 1};
    bool is_added[COLUMN_LIMIT] = {false};
    memset(is_added + (sites.of_pools ? COL_POOL_SIZE_0 : COL_SIZE_0), true, SIZE_CLASSES);
    memset(is_added + (sites.of_pools ? COL_POOL_LIFETIME_0 : COL_LIFETIME_0), true,
           LIFETIME_CLASSES);
    return bucket_walk_sums(recording, range, (struct bucket_visitor){add_bucket, &adding},
                            is_added, fault);
}

uint64_t histogram_total(const uint64_t *classes, size_t count)
{
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += classes[i];
    return total;
}

uint64_t histogram_size_from(unsigned k)
{
    INVARIANT(k <= SIZE_CLASSES);
    return k == 0 ? 0 : UINT64_C(1) << (k - 1);
}

uint64_t histogram_lifetime_from(unsigned k)
{
    INVARIANT(k <= LIFETIME_CLASSES);
    return k == 0 ? 0 : lifetime_bounds_ns[k - 1];
}
