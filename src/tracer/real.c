/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/real.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/* dlsym may allocate while it looks for malloc. */
#define EARLY_BYTES 65536

struct early_block {
    size_t size;
    size_t pad; /* keeps blocks aligned to 16 */
};

static _Alignas(16) char early_heap[EARLY_BYTES];
static _Atomic size_t early_used;

void *real_early_alloc(size_t size)
{
    if (size > EARLY_BYTES / 2)
        return NULL;
    size_t need = sizeof(struct early_block) + ((size + 15) & ~(size_t)15);
    size_t at = atomic_fetch_add(&early_used, need);
    if (at + need > EARLY_BYTES)
        return NULL;
    struct early_block *block = (struct early_block *)(early_heap + at);
    block->size = size;
    return block + 1;
}

bool real_is_early(const void *block)
{
    return (const char *)block >= early_heap && (const char *)block < early_heap + EARLY_BYTES;
}

size_t real_early_size(const void *block)
{
    return ((const struct early_block *)block)[-1].size;
}

static void *early_calloc(size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : real_early_alloc(bytes);
}

static void *early_realloc(void *block, size_t size)
{
    void *moved = real_early_alloc(size);
    if (moved && block)
        memcpy(moved, block, real_early_size(block) < size ? real_early_size(block) : size);
    return moved;
}

static void early_free(void *block)
{
    (void)block;
}

struct real_functions real = {.malloc = real_early_alloc,
                              .calloc = early_calloc,
                              .realloc = early_realloc,
                              .free = early_free};

/* Only names that every libc has: a failing dlsym allocates its message, and may do so with the program's own
 * malloc, which may be waiting for us. */
static void find(void *slot, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (found)
        memcpy(slot, &found, sizeof(found));
}

void real_resolve(void)
{
    struct real_functions found = real;

    find(&found.malloc, "malloc");
    find(&found.calloc, "calloc");
    find(&found.realloc, "realloc");
    find(&found.free, "free");
    find(&found.posix_memalign, "posix_memalign");
    find(&found.aligned_alloc, "aligned_alloc");
    find(&found.memalign, "memalign");
    find(&found.valloc, "valloc");
    find(&found.pvalloc, "pvalloc");
    find(&found.malloc_usable_size, "malloc_usable_size");
    find(&found.brk, "brk");
    find(&found.sbrk, "sbrk");
    find(&found.dlclose, "dlclose");
    find(&found.execve, "execve");
    find(&found.execvpe, "execvpe");
    find(&found.fexecve, "fexecve");
    real = found;
}
