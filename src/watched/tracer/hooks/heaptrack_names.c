/* SPDX-License-Identifier: Apache-2.0 */
/* heaptrack_names.c - the functions by which programs report their own allocators to heaptrack,
 * directed to memoir.
 *
 * It is part of libmemoir.so, for programs that look for the names; and a library by itself,
 * libheaptrack_preload.so, for programs that look for the library (Nim's -d:heaptrack).  That
 * library contains no tracer: like any program it uses memoir.h, and without memoir it does
 * nothing. */
#include <stdint.h>

#include "memoir.h"

#define EXPORTED __attribute__((visibility("default")))

/* As heaptrack declares them. */
void heaptrack_malloc(void *block, size_t size);
void heaptrack_free(void *block);
void heaptrack_realloc(void *old_block, size_t size, void *block);
void heaptrack_realloc2(uintptr_t old_block, size_t size, uintptr_t block);
void heaptrack_init(const char *file, void (*before)(void), void (*after)(void *),
                    void (*stop)(void));
void heaptrack_stop(void);
void heaptrack_pause(void);
void heaptrack_resume(void);
void heaptrack_invalidate_module_cache(void);

EXPORTED void heaptrack_malloc(void *block, size_t size)
{
    memoir_alloc(block, size);
}

EXPORTED void heaptrack_free(void *block)
{
    memoir_free(block);
}

EXPORTED void heaptrack_realloc(void *old_block, size_t size, void *block)
{
    memoir_realloc(old_block, block, size);
}

EXPORTED void heaptrack_realloc2(uintptr_t old_block, size_t size, uintptr_t block)
{
    memoir_realloc((void *)old_block, (void *)block, size);
}

/* Whether and when to record is the recorder's business: the rest is there to be found. */
EXPORTED void heaptrack_init(const char *file, void (*before)(void), void (*after)(void *),
                             void (*stop)(void))
{
    (void)file, (void)before, (void)after, (void)stop;
}

EXPORTED void heaptrack_stop(void)
{
}

EXPORTED void heaptrack_pause(void)
{
}

EXPORTED void heaptrack_resume(void)
{
}

EXPORTED void heaptrack_invalidate_module_cache(void)
{
}
