/* look_sight.h - what a look at the pages needs of the process: opened while the worker still may,
 * before it gives up its rights.
 *
 * The worker reads data that the process chose: names of mappings, names of threads, memory.  So it
 * first opens these files and reads the numbers that need rights.  From then on, it can reach only
 * them, its file for the result, and its own memory. */
#pragma once

#include "capture/books/area_list.h"
#include "procfs/memory/pagemap.h"

struct look_sight {
    struct pagemap pagemap;
    int maps, sums, memory; /* Descriptors; `memory` -1: it cannot be read. */
    VEC(struct thread_known) threads;
    VEC(struct stack_spot) stacks; /* Stacks that the kernel tells. */
};

/* Returns 0, or -errno as pagemap_open does.  Nothing closes the descriptors but the end of the
 * process. */
int look_sight_open(struct look_sight *sight, uint32_t pid);
/* Confines the whole process, for ever: only the sight and `out`, which takes at most `out_bytes`,
 * stay open. */
void look_sight_confine(const struct look_sight *sight, int out, uint64_t out_bytes);
