/* look_sight.h - what a look at the pages needs of the process, opened while the worker may still
 * open it, and the end of all its rights.
 *
 * The worker reads what the process chose: names of mappings, names of threads, memory.  So it
 * opens these files, takes the numbers that only somebody with rights is told, and from then on
 * can reach nothing but them, its file for the result, and its own memory. */
#pragma once

#include "capture/books/area_list.h"
#include "procfs/memory/pagemap.h"

struct look_sight {
    struct pagemap pagemap;
    int maps, sums, memory; /* descriptors; `memory` -1: nothing of it can be read */
    VEC(struct thread_known) threads;
    VEC(struct stack_spot) stacks; /* those that the kernel tells */
};

/* 0; or -errno as pagemap_open.  What is open ends with the process. */
int look_sight_open(struct look_sight *sight, uint32_t pid);
/* For ever, and with the whole process: only the sight and `out`, which takes at most `out_bytes`,
 * stay open. */
void look_sight_confine(const struct look_sight *sight, int out, uint64_t out_bytes);
