/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/memory/memory_sums.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "procfs/memory/maps.h"
#include "procfs/process/proc_open.h"

static uint64_t *kind_of(struct memory_sums *sums, const struct map_region *region)
{
    if (strcmp(region->name, "[heap]") == 0)
        return &sums->heap_bytes;
    bool const nameless = region->name[0] == '\0' || strncmp(region->name, "[anon:", 6) == 0;
    return nameless && region->inode == 0 && !region->shared ? &sums->anonymous_bytes : NULL;
}

void memory_sums_add(struct memory_summing *summing, const char *line)
{
    struct map_region region;
    if (strncmp(line, "Rss:", 4) == 0) {
        uint64_t const kib = strtoull(line + 4, NULL, 10);
        summing->sums.rss_bytes += kib * 1024;
        if (summing->kind)
            *summing->kind += kib * 1024;
    } else if (map_region_parse(line, &region)) {
        summing->kind = kind_of(&summing->sums, &region);
    }
}

int memory_sums_read(uint32_t pid, struct memory_sums *sums)
{
    struct memory_summing summing = {.kind = NULL};
    char *line = NULL;
    size_t room = 0;
    FILE *file = proc_open_stream(pid, PROC_SMAPS);
    if (!file)
        return -errno;
    for (ssize_t size; (size = getline(&line, &room, file)) > 0;) {
        if (line[size - 1] == '\n')
            line[size - 1] = '\0';
        memory_sums_add(&summing, line);
    }
    int err = ferror(file) ? -EIO : 0;
    free(line);
    fclose(file);
    *sums = summing.sums;
    return err;
}
