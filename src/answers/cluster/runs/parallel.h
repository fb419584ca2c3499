/* parallel.h - does the same work on many items, in one thread per processor, at most 4. */
#pragma once

#include <stddef.h>

/* Calls `work` once for each index from 0 to count - 1, in any order, from several threads; returns
 * when all are done.  If no thread can be made, does the work in the calling thread. */
void parallel_each(size_t count, void (*work)(void *context, size_t index), void *context);
