/* SPDX-License-Identifier: Apache-2.0 */
#include "model/memory/memory_level.h"

#include <string.h>

#include "base/invariant.h"

static const struct {
    const char *name, *title;
} levels[LEVEL_COUNT] = {
    [LEVEL_RSS] = {"rss", "resident memory"},
    [LEVEL_ANON] = {"anon", "anonymous resident memory"},
    [LEVEL_FILE] = {"file", "resident file mappings"},
    [LEVEL_SHMEM] = {"shmem", "resident shared memory"},
    [LEVEL_SWAP] = {"swap", "swapped memory"},
    [LEVEL_PSS] = {"pss", "proportional resident memory"},
    [LEVEL_HEAP] = {"heap.live", "live heap"},
    [LEVEL_BLOCKS] = {"heap.blocks", "live blocks"},
    [LEVEL_POOL] = {"pool.live", "live pool memory"},
    [LEVEL_MAPS] = {"maps.live", "memory mapped by the program"},
    [LEVEL_REGION] = {"region.live", "memory named by the program"},
};

const char *memory_level_name(enum memory_level level)
{
    INVARIANT(level < LEVEL_COUNT);
    return levels[level].name;
}

const char *memory_level_title(enum memory_level level)
{
    INVARIANT(level < LEVEL_COUNT);
    return levels[level].title;
}

const char *memory_level_unit(enum memory_level level)
{
    return level == LEVEL_BLOCKS ? "blocks" : "bytes";
}

enum memory_level memory_level_find(const char *name, size_t size)
{
    for (int i = 0; i < LEVEL_COUNT; i++)
        if (strlen(levels[i].name) == size && memcmp(levels[i].name, name, size) == 0)
            return (enum memory_level)i;
    return LEVEL_NONE;
}
