/* memory_level.h - how much of each kind of memory a process has at one instant.  Alerts compare
 * these levels, and histories keep them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum memory_level {
    LEVEL_RSS,    /* Resident size, as the kernel counts it. */
    LEVEL_ANON,   /* Part of RSS: anonymous memory. */
    LEVEL_FILE,   /* Part of RSS: mapped files. */
    LEVEL_SHMEM,  /* Part of RSS: shared memory and tmpfs. */
    LEVEL_SWAP,   /* Swapped out. */
    LEVEL_PSS,    /* Like RSS, with each shared page divided by the number of its users. */
    LEVEL_HEAP,   /* Requested bytes of live blocks. */
    LEVEL_BLOCKS, /* Number of live blocks. */
    LEVEL_POOL,   /* Live blocks of the program's own allocators. */
    LEVEL_MAPS,   /* Mapped by the program itself. */
    LEVEL_REGION, /* Named by the program. */
    LEVEL_COUNT
};
#define LEVEL_NONE LEVEL_COUNT

struct memory_levels {
    int64_t values[LEVEL_COUNT]; /* -1: unknown. */
};

/* The name that users type ("rss", "heap.live"), and the title for tables. */
const char *memory_level_name(enum memory_level level);
const char *memory_level_title(enum memory_level level);
/* "bytes" or "blocks". */
const char *memory_level_unit(enum memory_level level);
/* Finds a level by name; LEVEL_NONE if there is none. */
enum memory_level memory_level_find(const char *name, size_t size);
