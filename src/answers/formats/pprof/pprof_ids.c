/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pprof/pprof_ids.h"

#include <errno.h>

static int by_id(const void *left, const void *right)
{
    const struct id_place *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* -EINVAL: 0, or twice. */
static int index_directly(struct id_index *index, const struct id_place *places, size_t count)
{
    if (!(index->direct = calloc(index->direct_limit, sizeof(uint32_t))))
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        uint32_t *at = &index->direct[places[i].id];
        if (places[i].id == 0 || *at)
            return -EINVAL;
        *at = places[i].place;
    }
    return 0;
}

static int index_sorted(struct id_index *index, struct id_place *places, size_t count)
{
    qsort(places, count, sizeof(places[0]), by_id);
    index->sorted = places;
    index->count = count;
    for (size_t i = 0; i < count; i++)
        if (places[i].id == 0 || (i && places[i].id == places[i - 1].id))
            return -EINVAL;
    return 0;
}

int id_index_init(struct id_index *index, struct id_place *places, size_t count)
{
    uint64_t largest = 0;
    int err;
    for (size_t i = 0; i < count; i++)
        largest = places[i].id > largest ? places[i].id : largest;
    if (largest > 4 * (uint64_t)count + 64)
        return index_sorted(index, places, count);
    index->direct_limit = largest + 1;
    err = index_directly(index, places, count);
    free(places);
    return err;
}

void id_index_fini(struct id_index *index)
{
    free(index->direct);
    free(index->sorted);
}

uint32_t id_index_find_sorted(const struct id_index *index, uint64_t id)
{
    struct id_place const key = {.id = id};
    if (index->count == 0)
        return 0;
    const struct id_place *found = bsearch(&key, index->sorted, index->count, sizeof(key), by_id);
    return found ? found->place : 0;
}
