/* hooks.h - the functions behind front.c, which jumps to them: so their frame is that of the
 * hook. */
#pragma once

#include <stddef.h>

#define TRACED __attribute__((visibility("hidden"), noinline))

TRACED void *traced_malloc(size_t size);
TRACED void *traced_calloc(size_t count, size_t size);
TRACED void *traced_realloc(void *block, size_t size);
TRACED void traced_free(void *block);
