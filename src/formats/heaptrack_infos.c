/* SPDX-License-Identifier: Apache-2.0 */
/* The `a` lines: (size, trace) pairs by number, written when first used. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "formats/heaptrack_format.h"
#include "formats/heaptrack_infos.h"

struct info_slot {
    uint64_t size;
    uint32_t trace;
    uint32_t twin;
    uint32_t info; /* 0: free slot */
};

static struct info_slot *find_slot(const struct heaptrack_infos *infos, uint64_t size,
                                   uint32_t trace, uint32_t twin)
{
    uint64_t hash = hash_mix(size ^ hash_mix(((uint64_t)trace << 1) | twin));
    for (size_t at = hash & (infos->room - 1);; at = (at + 1) & (infos->room - 1)) {
        struct info_slot *slot = &infos->slots[at];
        if (slot->info == 0 || (slot->size == size && slot->trace == trace && slot->twin == twin))
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
            *find_slot(infos, old[i].size, old[i].trace, old[i].twin) = old[i];
    free(old);
    return 0;
}

static void write_info(struct output *out, uint64_t size, uint32_t trace)
{
    output_char(out, HEAPTRACK_INFO);
    output_char(out, ' ');
    output_hex(out, size);
    output_char(out, ' ');
    output_hex(out, trace);
    output_char(out, '\n');
}

int heaptrack_infos_begin(struct heaptrack_infos *infos, struct output *out)
{
    *infos = (struct heaptrack_infos){.out = out};
    write_info(out, 0, 0); /* number 0 is reserved: readers take a free of it for a temporary */
    return grow(infos);
}

void heaptrack_infos_fini(struct heaptrack_infos *infos)
{
    free(infos->slots);
}

uint32_t heaptrack_info(struct heaptrack_infos *infos, uint64_t size, uint32_t trace, uint32_t twin)
{
    if (2 * (size_t)infos->count >= infos->room && grow(infos) < 0)
        return 0;
    struct info_slot *slot = find_slot(infos, size, trace, twin);
    if (slot->info == 0) {
        *slot = (struct info_slot){size, trace, twin, ++infos->count};
        write_info(infos->out, size, trace);
    }
    return slot->info;
}
