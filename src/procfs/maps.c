/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "procfs/proc_text.h"

#define MAPS_MAX ((size_t)256 << 20)

bool map_region_parse(const char *line, struct map_region *region)
{
    char rights[5];
    int name = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*x:%*x %" SCNu64 "%n",
               &region->start, &region->end, rights, &region->offset, &region->inode, &name) != 5 ||
        name == 0 || strlen(rights) != 4 || region->end <= region->start)
        return false;
    region->readable = rights[0] == 'r';
    region->writable = rights[1] == 'w';
    region->executable = rights[2] == 'x';
    region->shared = rights[3] == 's';
    region->name = line + name + strspn(line + name, " ");
    return true;
}

int map_list_read(uint32_t pid, struct map_list *list)
{
    char path[64];
    *list = (struct map_list){.text = NULL};
    snprintf(path, sizeof(path), "/proc/%u/maps", pid);
    int err = proc_text_read(path, MAPS_MAX, &list->text);
    for (char *line = list->text, *next; err == 0 && line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        struct map_region region;
        if (map_region_parse(line, &region) && !vec_push(&list->regions, region))
            err = -ENOMEM;
    }
    if (err < 0)
        map_list_fini(list);
    return err;
}

void map_list_fini(struct map_list *list)
{
    vec_free(&list->regions);
    free(list->text);
    list->text = NULL;
}

const struct map_region *map_list_find(const struct map_list *list, uint64_t address)
{
    size_t low = 0, high = list->regions.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list->regions.items[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->regions.count && list->regions.items[low].start <= address
               ? &list->regions.items[low]
               : NULL;
}
