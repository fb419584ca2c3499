/* parallel.h - one kind of work on many things, by as many threads as there are processors, at most
 * 4. */
#pragma once

#include <stddef.h>

/* Calls `work` once for each of 0 up to `count`, in no order, from several threads; returns when
 * all are done.  Without threads it works alone. */
void parallel_each(size_t count, void (*work)(void *context, size_t index), void *context);
