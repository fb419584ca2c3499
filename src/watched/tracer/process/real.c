/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/process/real.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tracer/rings/sample.h"

#include "tracer/process/loaded_objects.h"
#include "tracer/process/own_code.h"

/* dlsym may allocate while it looks for malloc. */

struct early_block {
    size_t size;
    size_t pad; /* keeps blocks aligned to 16 */
};

_Alignas(16) char real_early_heap[REAL_EARLY_BYTES];
static _Atomic size_t early_used;

void *real_early_alloc(size_t size)
{
    if (size > REAL_EARLY_BYTES / 2)
        return NULL;
    size_t need = sizeof(struct early_block) + ((size + 15) & ~(size_t)15);
    size_t at = atomic_fetch_add(&early_used, need);
    if (at + need > REAL_EARLY_BYTES)
        return NULL;
    struct early_block *block = (struct early_block *)(real_early_heap + at);
    block->size = size;
    sample_pin(block + 1);
    return block + 1;
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

/* What comes behind us is real, also for a library before us that passes calls on: its malloc is
 * the program's first, and calls ours.  Only names that every libc has: a failing dlsym allocates
 * its message, and may do so with the program's own malloc, which may be waiting for us. */
static void *find_next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* NULL: it is ours, or there is none. */
static void *find_before_us(const char *name)
{
    void *first = objects_function(name);
    return first && !is_own_code(first) ? first : NULL;
}

static bool has_fork_for_handlers(void)
{
    const char *version = gnu_get_libc_version(), *first = "2.34";
    return strlen(version) >= strlen(first) && strncmp(version, first, strlen(first)) >= 0;
}

static void resolve(void *(*find)(const char *name))
{
    static const struct {
        size_t place;
        const char *name;
    } wanted[] = {
#define WANTED(function) {offsetof(struct real_functions, function), #function}
        WANTED(malloc),
        WANTED(calloc),
        WANTED(realloc),
        WANTED(free),
        WANTED(posix_memalign),
        WANTED(aligned_alloc),
        WANTED(memalign),
        WANTED(valloc),
        WANTED(pvalloc),
        WANTED(malloc_usable_size),
        WANTED(brk),
        WANTED(sbrk),
        WANTED(dlclose),
        WANTED(execve),
        WANTED(execvpe),
        WANTED(fexecve),
        WANTED(posix_spawn),
        WANTED(posix_spawnp),
        WANTED(system),
        WANTED(popen),
#undef WANTED
    };
    struct real_functions functions = real;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        void *found = find(wanted[i].name);
        if (found)
            memcpy((char *)&functions + wanted[i].place, &found, sizeof(found));
    }
    if (has_fork_for_handlers())
        *(void **)&functions._Fork = find("_Fork");
    if (!loaded_code_holds(objects_code_at((void *)functions.malloc),
                           (void *)functions.malloc_usable_size))
        functions.malloc_usable_size = NULL;
    real = functions;
}

void real_resolve(void)
{
    resolve(find_next);
    *(void **)&real.first_realloc = find_before_us("realloc");
    *(void **)&real.first_free = find_before_us("free");
}

void real_resolve_in_program(void)
{
    resolve(objects_function);
}
