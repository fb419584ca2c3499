/* SPDX-License-Identifier: Apache-2.0 */
/* Each rule once, in a function of its own.  The blocks of *_start are made by malloc. */
#include "subject.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#define SITE(name, call)                                                                           \
    static NOINLINE void *name(void *old, size_t size)                                             \
    {                                                                                              \
        (void)old, (void)size;                                                                     \
        void *at = call;                                                                           \
        KEEP_FRAME();                                                                              \
        return at;                                                                                 \
    }

SITE(start_here, malloc(size))
SITE(grow_here, realloc(old, size))
SITE(shrink_here, realloc(old, size))
SITE(from_null_here, realloc(old, size))
SITE(to_zero_here, realloc(old, size))
SITE(too_much_here, realloc(old, size))
SITE(too_much_malloc_here, malloc(size))
SITE(overflow_here, calloc(SIZE_MAX / 2, size))
SITE(array_here, reallocarray(old, 10, size))
SITE(array_overflow_here, reallocarray(old, SIZE_MAX / 2, size))
SITE(nothing_here, malloc(size))
SITE(calloc_here, calloc(3, size))
SITE(aligned_here, aligned_alloc(64, size))
SITE(memalign_here, memalign(256, size))
SITE(valloc_here, valloc(size))
SITE(pvalloc_here, pvalloc(size))

static NOINLINE void *posix_here(size_t align, size_t size)
{
    void *at = NULL;
    if (posix_memalign(&at, align, size) != 0)
        return NULL;
    return at;
}

int main(void)
{
    void *a = start_here(NULL, 100);
    a = grow_here(a, 100000);          /* a free of 100, a block of 100000 */
    a = shrink_here(a, 10);            /* a free of 100000, a block of 10 */
    if (too_much_here(a, PTRDIFF_MAX)) /* nothing */
        return 1;
    a = array_here(a, 20); /* a free of 10, a block of 200 */
    if (array_overflow_here(a, 1000) || too_much_malloc_here(NULL, PTRDIFF_MAX) ||
        overflow_here(NULL, 1000) || posix_here(24, 100) || errno != ENOMEM)
        return 1;
    if (to_zero_here(a, 0)) /* a free of 200 */
        return 1;
    void *b = from_null_here(NULL, 50);
    void *rest[] = {nothing_here(NULL, 0),    calloc_here(NULL, 7),  aligned_here(NULL, 128),
                    memalign_here(NULL, 300), valloc_here(NULL, 11), pvalloc_here(NULL, 13),
                    posix_here(32, 17)};
    for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++) {
        if (!rest[i])
            return 1;
        if (i % 2)
            free(rest[i]);
    }
    free(b);
    free(NULL); /* no event at all */
    return 0;
}
