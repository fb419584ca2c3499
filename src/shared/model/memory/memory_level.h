/* memory_level.h - how much of each kind of memory a process has at one instant: what alerts are
 * about and a history keeps. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum memory_level {
    LEVEL_RSS,    /* resident, by the kernel */
    LEVEL_ANON,   /* of it, in no file */
    LEVEL_FILE,   /* of it, mapped files */
    LEVEL_SHMEM,  /* of it, shared memory and tmpfs */
    LEVEL_SWAP,   /* swapped out */
    LEVEL_PSS,    /* resident, shared pages divided by their users */
    LEVEL_HEAP,   /* live blocks, bytes asked for */
    LEVEL_BLOCKS, /* their number */
    LEVEL_POOL,   /* live blocks of the program's own allocators */
    LEVEL_MAPS,   /* mapped by the program itself */
    LEVEL_REGION, /* named by it */
    LEVEL_COUNT
};
#define LEVEL_NONE LEVEL_COUNT

struct memory_levels {
    int64_t values[LEVEL_COUNT]; /* -1: not known */
};

/* "rss", "heap.live", ... as people write them; for tables, what it is in words. */
const char *memory_level_name(enum memory_level level);
const char *memory_level_title(enum memory_level level);
/* "bytes" or "blocks". */
const char *memory_level_unit(enum memory_level level);
/* LEVEL_NONE when there is none of that name. */
enum memory_level memory_level_find(const char *name, size_t size);
