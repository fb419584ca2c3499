/* maps.h - the mappings of a process, from /proc/PID/maps. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct map_region {
    uint64_t start, end, offset, inode;
    uint64_t device; /* as stat gives it */
    bool readable, writable, executable, shared;
    const char *name; /* path, "[heap]", ...; "" for none */
};

struct map_list {
    VEC(struct map_region) regions; /* by address */
    char *text;                     /* what the names point into */
};

/* Parses one line, without its newline and NUL-terminated; `name` points into it.  false when it
 * is no such line. */
bool map_region_parse(const char *line, struct map_region *region);

/* Reads them all.  0 or -errno; then the list is empty.  The caller ends it with map_list_fini. */
int map_list_read(uint32_t pid, struct map_list *list);
/* The same from a file that is open, PROC_MAPS, from where it stands. */
int map_list_read_open(int fd, struct map_list *list);
void map_list_fini(struct map_list *list);

/* The region that holds `address`, or NULL. */
const struct map_region *map_list_find(const struct map_list *list, uint64_t address);
