/* maps.h - the mappings of a process, from /proc/PID/maps. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct map_region {
    uint64_t start, end, offset, inode;
    uint64_t device; /* As st_dev of stat. */
    bool readable, writable, executable, shared;
    const char *name; /* Path, "[heap]", ...; no name: "". */
};

struct map_list {
    VEC(struct map_region) regions; /* Ordered by address. */
    char *text;                     /* Names point into it. */
};

/* Parses one line, NUL-terminated and without its newline; `name` points into the line.  Returns
 * false if it is no line of /proc/PID/maps. */
bool map_region_parse(const char *line, struct map_region *region);

/* Reads all mappings.  Returns 0; or -errno with an empty list.  End it with map_list_fini. */
int map_list_read(uint32_t pid, struct map_list *list);
/* Like map_list_read, from an open PROC_MAPS file, from its current offset on. */
int map_list_read_open(int fd, struct map_list *list);
void map_list_fini(struct map_list *list);

/* Returns the region around `address`, or NULL. */
const struct map_region *map_list_find(const struct map_list *list, uint64_t address);
