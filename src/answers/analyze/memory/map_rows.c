/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/memory/map_rows.h"

#include <errno.h>
#include <stdlib.h>

#define FAR ((uint64_t)1 << 30) /* what lies so far apart is no neighbour */

static int by_size(const void *left, const void *right)
{
    const struct map_row *a = left, *b = right;
    if (a->bytes.rss != b->bytes.rss)
        return a->bytes.rss > b->bytes.rss ? -1 : 1;
    if (a->bytes.size != b->bytes.size)
        return a->bytes.size > b->bytes.size ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static struct map_row row_of(const struct breakdown *breakdown, size_t place)
{
    const struct memory_region *region = &breakdown->regions.items[place];
    uint64_t const before = place ? breakdown->regions.items[place - 1].end : region->start;
    return (struct map_row){
        .first = (uint32_t)place,
        .count = 1,
        .largest = (uint32_t)place,
        .start = region->start,
        .end = region->end,
        .gap = region->start > before ? region->start - before : 0,
        .bytes = region->bytes,
    };
}

/* Which of them have a row of their own: `is_kept` has a place for each. */
static int choose(const struct breakdown *breakdown, size_t first, size_t count, size_t keep,
                  bool *is_kept)
{
    struct map_row *all = malloc(count * sizeof(*all));
    if (!all)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        all[i] = row_of(breakdown, first + i);
    qsort(all, count, sizeof(*all), by_size);
    for (size_t i = 0; i < keep; i++)
        is_kept[all[i].first - first] = true;
    free(all);
    return 0;
}

static void join(const struct breakdown *breakdown, struct map_row *into, const struct map_row *row)
{
    if (row->bytes.rss > breakdown->regions.items[into->largest].bytes.rss)
        into->largest = row->first;
    into->count++;
    into->end = row->end;
    memory_bytes_add(&into->bytes, &row->bytes);
}

static int add_rows(const struct breakdown *breakdown, size_t first, size_t count, size_t most,
                    const bool *is_kept, struct map_rows *rows)
{
    size_t left = 0; /* rows that may still be needed: those kept, and one between each two */
    for (size_t i = 0; is_kept && i < count; i++)
        left += 2 * (size_t)is_kept[i];
    bool is_open = false; /* the last row takes in others */
    for (size_t i = 0; i < count; i++) {
        struct map_row const row = row_of(breakdown, first + i);
        bool const is_own = !is_kept || is_kept[i];
        bool const is_apart = row.gap >= FAR && rows->items.count + left + 1 < most;
        if (is_own || !is_open || is_apart) {
            if (!vec_push(&rows->items, row))
                return -ENOMEM;
        } else {
            join(breakdown, &rows->items.items[rows->items.count - 1], &row);
        }
        is_open = !is_own;
        if (is_kept && is_kept[i])
            left -= 2;
    }
    return 0;
}

int map_rows_make(const struct breakdown *breakdown, size_t first, size_t count, size_t most,
                  struct map_rows *rows)
{
    size_t const all = breakdown->regions.count;
    bool *is_kept = NULL;
    *rows = (struct map_rows){.items = {0}};
    first = first < all ? first : all;
    count = count < all - first ? count : all - first;
    if (count > most) {
        is_kept = calloc(count, sizeof(*is_kept));
        if (!is_kept || choose(breakdown, first, count, (most - 1) / 2, is_kept) < 0) {
            free(is_kept);
            return -ENOMEM;
        }
    }
    int const err = add_rows(breakdown, first, count, most, is_kept, rows);
    free(is_kept);
    if (err)
        map_rows_fini(rows);
    return err;
}

void map_rows_fini(struct map_rows *rows)
{
    vec_free(&rows->items);
}
