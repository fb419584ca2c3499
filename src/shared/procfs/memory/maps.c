/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/memory/maps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "procfs/process/proc_open.h"
#include "procfs/process/proc_text.h"

#define MAPS_MAX ((size_t)256 << 20)

/* Parses a number and the letter that must follow it off the front. */
static bool parse_number(const char **at, int base, char after, uint64_t *value)
{
    char *end;
    if (strspn(*at, base == 16 ? "0123456789abcdef" : "0123456789") == 0)
        return false;
    *value = strtoull(*at, &end, base);
    if (*end != after && !(after == ' ' && *end == '\0'))
        return false;
    *at = *end ? end + 1 : end;
    return true;
}

/* START-END RIGHTS OFFSET MAJOR:MINOR INODE NAME */
bool map_region_parse(const char *line, struct map_region *region)
{
    uint64_t major, minor;
    if (!parse_number(&line, 16, '-', &region->start) ||
        !parse_number(&line, 16, ' ', &region->end) || region->end <= region->start ||
        strlen(line) < 5 || line[4] != ' ')
        return false;
    region->readable = line[0] == 'r';
    region->writable = line[1] == 'w';
    region->executable = line[2] == 'x';
    region->shared = line[3] == 's';
    line += 5;
    if (!parse_number(&line, 16, ' ', &region->offset) || !parse_number(&line, 16, ':', &major) ||
        !parse_number(&line, 16, ' ', &minor) || !parse_number(&line, 10, ' ', &region->inode))
        return false;
    region->device = makedev((unsigned)major, (unsigned)minor);
    region->name = line + strspn(line, " ");
    return true;
}

/* Regions of a text, whose lines end with NUL then. */
static int parse_list(struct map_list *list)
{
    int err = 0;
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

int map_list_read(uint32_t pid, struct map_list *list)
{
    *list = (struct map_list){.text = NULL};
    int const err = proc_read_text(pid, 0, PROC_MAPS, MAPS_MAX, &list->text);
    return err < 0 ? err : parse_list(list);
}

int map_list_read_open(int fd, struct map_list *list)
{
    *list = (struct map_list){.text = NULL};
    int const err = proc_text_read_fd(fd, MAPS_MAX, &list->text);
    return err < 0 ? err : parse_list(list);
}

void map_list_fini(struct map_list *list)
{
    vec_free(&list->regions);
    free(list->text);
    list->text = NULL;
}

const struct map_region *map_list_find(const struct map_list *list, uint64_t address)
{
    size_t const at = vec_lower_bound(&list->regions, region, region->end <= address);
    return at < list->regions.count && list->regions.items[at].start <= address
               ? &list->regions.items[at]
               : NULL;
}
