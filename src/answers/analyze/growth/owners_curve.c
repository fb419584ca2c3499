/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/growth/owners_curve.h"

#include <errno.h>
#include <string.h>

#include "analyze/sums/bucket_walk.h"
#include "base/invariant.h"

_Static_assert(PAGE_KINDS_RESIDENT <= EXPLAINED_PARTS_MAX, "an instant has room for either");

/* Unsigned, so that nonsense in a damaged file wraps instead of trapping. */
struct owners_sums {
    uint64_t owners[OWNER_KINDS], pages[PAGE_KINDS_RESIDENT], live;
};

struct walking {
    struct owners_sums now;
    struct owners_curve owners, pages;
    bool is_short_of_memory;
};

static bool add_pair(const struct cell *cell, unsigned first, unsigned kinds, uint64_t *sums)
{
    if (cell->column < first || cell->column >= first + 2 * kinds)
        return false;
    unsigned const place = cell->column - first;
    sums[place / 2] += place % 2 ? -(uint64_t)cell->value : (uint64_t)cell->value;
    return true;
}

static struct owners_instant make_instant(uint64_t time_ns, uint64_t live, const uint64_t *sums,
                                          size_t count)
{
    INVARIANT(count <= EXPLAINED_PARTS_MAX);
    struct owners_instant instant = {.time_ns = time_ns, .heap_live_bytes = (int64_t)live};
    memcpy(instant.bytes, sums, count * sizeof(*sums));
    return instant;
}

static void add_bucket(void *into, const struct bucket *bucket)
{
    struct walking *walking = into;
    struct owners_sums *now = &walking->now;
    bool has_owners = false, has_pages = false;
    for (size_t i = 0; i < bucket->cell_count; i++) {
        const struct cell *cell = &bucket->cells[i];
        has_owners |= add_pair(cell, COL_RESIDENT_0, OWNER_KINDS, now->owners);
        has_pages |= add_pair(cell, COL_PAGES_0, PAGE_KINDS_RESIDENT, now->pages);
        if (cell->column == COL_HEAP_BYTES)
            now->live += (uint64_t)cell->value;
        else if (cell->column == COL_HEAP_FREED)
            now->live -= (uint64_t)cell->value;
    }
    if (has_owners && !vec_push(&walking->owners.instants,
                                make_instant(bucket->end_ns, now->live, now->owners, OWNER_KINDS)))
        walking->is_short_of_memory = true;
    if (has_pages &&
        !vec_push(&walking->pages.instants,
                  make_instant(bucket->end_ns, now->live, now->pages, PAGE_KINDS_RESIDENT)))
        walking->is_short_of_memory = true;
}

static void thin(struct owners_curve *curve, size_t most)
{
    size_t const count = curve->instants.count;
    if (count <= most)
        return;
    INVARIANT(most > 1);
    for (size_t i = 0; i < most; i++)
        curve->instants.items[i] = curve->instants.items[i * (count - 1) / (most - 1)];
    curve->instants.count = most;
}

int owners_curve_build(struct recording *recording, size_t most, struct owners_curve *curve,
                       struct fault *fault)
{
    struct walking walking = {
        .owners = {.words = owner_words, .part_count = OWNER_KINDS},
        .pages = {.words = page_words, .part_count = PAGE_KINDS_RESIDENT},
    };
    struct time_range range = TIME_ALL;
    int err =
        recording->buckets.count
            ? bucket_walk(recording, &range, (struct bucket_visitor){add_bucket, &walking}, fault)
            : 0;
    if (err == 0 && walking.is_short_of_memory)
        err = fault_set(fault, -ENOMEM, "out of memory");
    bool const is_of_pages = walking.owners.instants.count == 0 && walking.pages.instants.count > 0;
    *curve = is_of_pages ? walking.pages : walking.owners;
    owners_curve_fini(is_of_pages ? &walking.owners : &walking.pages);
    if (err)
        owners_curve_fini(curve);
    else
        thin(curve, most);
    return err;
}

void owners_curve_fini(struct owners_curve *curve)
{
    vec_free(&curve->instants);
}
