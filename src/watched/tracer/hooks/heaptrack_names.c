/* SPDX-License-Identifier: Apache-2.0 */
/* heaptrack_names.c - the functions by which programs report their own allocators to heaptrack,
 * directed to memoir.
 *
 * It is part of libmemoir.so, for programs that look for the names; and a library by itself,
 * libheaptrack_preload.so, for programs that look for the library (Nim's -d:heaptrack).  That
 * library contains no tracer: like any program it uses memoir.h, and without memoir it does
 * nothing.  What heaptrack itself calls goes to heaptrack. */
#include <stdint.h>

#include "memoir.h"
#include "tracer/hooks/heaptrack_behind.h"

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

static const struct heaptrack_functions *own_of(const void *caller)
{
    return heaptrack_behind ? heaptrack_behind(caller) : NULL;
}
#define OWN_OF_CALLER own_of(__builtin_return_address(0))

EXPORTED void heaptrack_malloc(void *block, size_t size)
{
    const struct heaptrack_functions *own = OWN_OF_CALLER;
    if (own)
        own->malloc(block, size);
    else
        memoir_alloc(block, size);
}

EXPORTED void heaptrack_free(void *block)
{
    const struct heaptrack_functions *own = OWN_OF_CALLER;
    if (own)
        own->free(block);
    else
        memoir_free(block);
}

EXPORTED void heaptrack_realloc(void *old_block, size_t size, void *block)
{
    const struct heaptrack_functions *own = OWN_OF_CALLER;
    if (own)
        own->realloc(old_block, size, block);
    else
        memoir_realloc(old_block, block, size);
}

EXPORTED void heaptrack_realloc2(uintptr_t old_block, size_t size, uintptr_t block)
{
    const struct heaptrack_functions *own = OWN_OF_CALLER;
    if (own && own->realloc2)
        own->realloc2(old_block, size, block);
    else if (!own)
        memoir_realloc((void *)old_block, (void *)block, size);
}

/* Whether and when to record is the recorder's business: the rest is there to be found. */
EXPORTED void heaptrack_init(const char *file, void (*before)(void), void (*after)(void *),
                             void (*stop)(void))
{
    const struct heaptrack_functions *own = OWN_OF_CALLER;
    if (own)
        own->init(file, before, after, stop);
}

EXPORTED void heaptrack_stop(void)
{
    const struct heaptrack_functions *own = OWN_OF_CALLER;
    if (own)
        own->stop();
}

EXPORTED void heaptrack_pause(void)
{
    const struct heaptrack_functions *own = OWN_OF_CALLER;
    if (own)
        own->pause();
}

EXPORTED void heaptrack_resume(void)
{
    const struct heaptrack_functions *own = OWN_OF_CALLER;
    if (own)
        own->resume();
}

EXPORTED void heaptrack_invalidate_module_cache(void)
{
    const struct heaptrack_functions *own = OWN_OF_CALLER;
    if (own)
        own->invalidate_module_cache();
}
