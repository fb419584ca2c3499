/* SPDX-License-Identifier: Apache-2.0 */
/* A library with an allocator of its own, to be loaded for itself alone (RTLD_LOCAL,
 * RTLD_DEEPBIND).  It ends the program when a block of another allocator comes to it. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Alignas(16) char pool[1 << 20];
static size_t used;

static int is_own(const void *block)
{
    return (const char *)block >= pool && (const char *)block < pool + sizeof(pool);
}

void *malloc(size_t size)
{
    size_t at = __atomic_fetch_add(&used, (size + 15) / 16 * 16, __ATOMIC_RELAXED);
    return pool + at % (sizeof(pool) / 2);
}

void free(void *block)
{
    if (block && !is_own(block))
        _exit(77);
}

/* Both are found in this library; a library that needs it (own_allocator_user.c) looks here
 * first, too. */
void *own_make(size_t size);
void *own_make(size_t size)
{
    void *block = malloc(size);
    if (!is_own(block))
        _exit(78);
    return block;
}
