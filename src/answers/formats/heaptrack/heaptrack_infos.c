/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/heaptrack/heaptrack_infos.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "formats/heaptrack/heaptrack_format.h"

struct info_slot {
    uint32_t info; /* 0: free slot */
    uint32_t twin;
};

static struct info_slot *find_slot(const struct heaptrack_infos *infos,
                                   const struct heaptrack_info *pair, uint32_t twin)
{
    uint64_t hash = hash_mix(pair->size ^ hash_mix(((uint64_t)pair->trace << 1) | twin));
    for (size_t at = hash & (infos->room - 1);; at = (at + 1) & (infos->room - 1)) {
        struct info_slot *slot = &infos->slots[at];
        const struct heaptrack_info *known = &infos->infos.items[slot->info - 1];
        if (slot->info == 0 ||
            (known->size == pair->size && known->trace == pair->trace && slot->twin == twin))
            return slot;
    }
}

static int grow(struct heaptrack_infos *infos)
{
    struct info_slot *old = infos->slots;
    size_t old_room = infos->room, room = old_room ? old_room * 2 : 1024;
    struct info_slot *slots = calloc(room, sizeof(*slots));
    if (!slots)
        return -ENOMEM;
    infos->slots = slots;
    infos->room = room;
    for (size_t i = 0; i < old_room; i++)
        if (old[i].info)
            *find_slot(infos, &infos->infos.items[old[i].info - 1], old[i].twin) = old[i];
    free(old);
    return 0;
}

void heaptrack_infos_fini(struct heaptrack_infos *infos)
{
    free(infos->slots);
    vec_free(&infos->infos);
}

uint32_t heaptrack_info(struct heaptrack_infos *infos, uint64_t size, uint32_t trace, uint32_t twin)
{
    struct heaptrack_info const pair = {size, trace, 0};
    if (2 * infos->infos.count >= infos->room && grow(infos) < 0)
        return 0;
    struct info_slot *slot = find_slot(infos, &pair, twin);
    if (slot->info == 0) {
        if (infos->infos.count >= UINT32_MAX - 2 || !vec_push(&infos->infos, pair))
            return 0;
        *slot = (struct info_slot){(uint32_t)infos->infos.count, twin};
    }
    return slot->info;
}

void heaptrack_info_allocated(struct heaptrack_infos *infos, uint32_t info)
{
    if (infos->infos.items[info - 1].number)
        return;
    if (infos->numbered == 0)
        infos->first = info;
    infos->infos.items[info - 1].number = ++infos->numbered;
}

static void write_info(struct output *out, const struct heaptrack_info *info)
{
    output_char(out, HEAPTRACK_INFO);
    output_char(out, ' ');
    output_hex(out, info->size);
    output_char(out, ' ');
    output_hex(out, info->trace);
    output_char(out, '\n');
}

static int by_number(const void *left, const void *right)
{
    const struct heaptrack_info *a = *(const struct heaptrack_info *const *)left;
    const struct heaptrack_info *b = *(const struct heaptrack_info *const *)right;
    return a->number < b->number ? -1 : a->number > b->number;
}

int heaptrack_infos_write(struct heaptrack_infos *infos, struct output *out)
{
    size_t const count = infos->infos.count;
    const struct heaptrack_info **order = malloc((count + 1) * sizeof(*order));
    if (!order)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        heaptrack_info_allocated(infos, (uint32_t)i + 1);
        order[i] = &infos->infos.items[i];
    }
    qsort(order, count, sizeof(*order), by_number);
    for (size_t i = 0; i < count; i++)
        write_info(out, order[i]);
    if (count)
        write_info(out, order[0]); /* for its frees */
    free(order);
    return 0;
}

uint32_t heaptrack_info_number(const struct heaptrack_infos *infos, uint32_t info, bool lasting)
{
    if (lasting && info == infos->first)
        return (uint32_t)infos->infos.count;
    return infos->infos.items[info - 1].number - 1;
}
