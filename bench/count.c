/* SPDX-License-Identifier: Apache-2.0 */
/* A library to preload: counts successful allocations and frees, and writes "ALLOCATIONS FREES" to
 * the file named in BENCH_COUNT at the end.  So that costs per event do not rest on anybody's
 * claim. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_ullong allocations, frees;
static char early[8192]; /* dlsym may allocate before we know whom to ask */
static size_t early_used;

/* The next library's function of the same name. */
#define NEXT(name)                                                                                 \
    static __typeof__(&name) next;                                                                 \
    if (!next)                                                                                     \
    *(void **)&next = dlsym(RTLD_NEXT, #name)

static void *count(void *block)
{
    if (block)
        atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
    return block;
}

static bool is_early(const void *block)
{
    return (const char *)block >= early && (const char *)block < early + sizeof(early);
}

void *malloc(size_t size)
{
    NEXT(malloc);
    return count(next(size));
}

static bool asking;
void *calloc(size_t many, size_t size)
{
    static void *(*next)(size_t, size_t);
    if (!next && asking) {
        size_t bytes = (many * size + 15) & ~(size_t)15;
        if (early_used + bytes > sizeof(early))
            return NULL;
        early_used += bytes;
        return early + early_used - bytes;
    }
    if (!next) {
        asking = true;
        *(void **)&next = dlsym(RTLD_NEXT, "calloc");
        asking = false;
    }
    return count(next(many, size));
}

void free(void *block)
{
    NEXT(free);
    if (!block || is_early(block))
        return;
    atomic_fetch_add_explicit(&frees, 1, memory_order_relaxed);
    next(block);
}

void *realloc(void *old, size_t size)
{
    NEXT(realloc);
    void *block = count(next(old, size));
    if (old && (block || size == 0))
        atomic_fetch_add_explicit(&frees, 1, memory_order_relaxed);
    return block;
}

int posix_memalign(void **at, size_t align, size_t size)
{
    NEXT(posix_memalign);
    int error = next(at, align, size);
    if (error == 0)
        count(*at);
    return error;
}

void *aligned_alloc(size_t align, size_t size)
{
    NEXT(aligned_alloc);
    return count(next(align, size));
}

void *memalign(size_t align, size_t size)
{
    NEXT(memalign);
    return count(next(align, size));
}

__attribute__((destructor)) static void write_counts(void)
{
    char text[64];
    const char *path = getenv("BENCH_COUNT");
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    if (fd < 0)
        return;
    int length =
        snprintf(text, sizeof(text), "%llu %llu\n", atomic_load(&allocations), atomic_load(&frees));
    if (write(fd, text, (size_t)length) != length)
        unlink(path);
    close(fd);
}
