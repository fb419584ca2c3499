/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/threads/busy_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Code between two functions of an allocator is most likely the allocator's; farther away it is
 * somebody else's. */
#define HELPERS_WITHIN 65536u

static const char *const allocator_names[] = {"malloc",
                                              "calloc",
                                              "realloc",
                                              "reallocarray",
                                              "free",
                                              "cfree",
                                              "memalign",
                                              "valloc",
                                              "pvalloc",
                                              "aligned_alloc",
                                              "posix_memalign",
                                              "malloc_trim",
                                              "mallopt",
                                              "malloc_stats",
                                              "malloc_info",
                                              "mallinfo",
                                              "mallinfo2",
                                              "mallocx",
                                              "rallocx",
                                              "xallocx",
                                              "sallocx",
                                              "dallocx",
                                              "sdallocx",
                                              "nallocx",
                                              "mallctl",
                                              "free_sized",
                                              "free_aligned_sized",
                                              "malloc_usable_size"};
static const char *const allocator_prefixes[] = {"__libc_malloc",
                                                 "__libc_calloc",
                                                 "__libc_realloc",
                                                 "__libc_free",
                                                 "__libc_memalign",
                                                 "je_",
                                                 "_rjem_",
                                                 "mi_",
                                                 "tc_"};

/* The rest of what matters lives in libc. */
static const char *const libc_names[] = {"fork",
                                         "vfork",
                                         "_Fork",
                                         "__fork",
                                         "clone",
                                         "posix_spawn",
                                         "posix_spawnp",
                                         "system",
                                         "popen",
                                         "daemon",
                                         "forkpty",
                                         "exit",
                                         "quick_exit",
                                         "abort",
                                         "on_exit",
                                         "atexit",
                                         "__cxa_atexit",
                                         "__cxa_finalize",
                                         "pthread_exit",
                                         "pthread_create",
                                         "pthread_join",
                                         "pthread_atfork",
                                         "__register_atfork",
                                         "pthread_key_create",
                                         "pthread_key_delete",
                                         "pthread_setspecific",
                                         "pthread_getattr_np",
                                         "__cxa_thread_atexit_impl",
                                         "__libc_freeres"};
static const char *const libc_prefixes[] = {"dl", "_dl", "__libc_dl", "execv", "execl"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool listed(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool prefixed(const char *name, const char *const *prefixes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static bool is_allocator_name(const char *name)
{
    return listed(name, allocator_names, COUNT(allocator_names)) ||
           prefixed(name, allocator_prefixes, COUNT(allocator_prefixes));
}

bool busy_names_know(const char *name, bool is_libc)
{
    return is_allocator_name(name) ||
           (is_libc && (listed(name, libc_names, COUNT(libc_names)) ||
                        prefixed(name, libc_prefixes, COUNT(libc_prefixes))));
}

struct busy_function {
    uint64_t start, end;
    bool busy, allocates;
};

struct busy_names {
    VEC(struct busy_function) functions; /* by start */
    bool is_libc, has_malloc, failed;
};

static bool see(void *context, const struct loaded_symbol *symbol)
{
    struct busy_names *names = context;
    if (!symbol->is_function)
        return true;
    names->has_malloc |= strcmp(symbol->name, "malloc") == 0;
    struct busy_function function = {symbol->address, symbol->address + symbol->size,
                                     busy_names_know(symbol->name, names->is_libc),
                                     is_allocator_name(symbol->name)};
    names->failed |= !vec_push(&names->functions, function);
    return !names->failed;
}

static int compare(const void *left, const void *right)
{
    const struct busy_function *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (int)a->busy - (int)b->busy;
}

struct busy_names *busy_names_create(struct memory_reader reader, const struct loaded_elf *elf,
                                     bool is_libc)
{
    struct busy_names *names = calloc(1, sizeof(*names));
    if (!names)
        return NULL;
    names->is_libc = is_libc;
    if (loaded_elf_each(reader, elf, see, names) < 0 || names->failed ||
        names->functions.count == 0) {
        busy_names_destroy(names);
        return NULL;
    }
    qsort(names->functions.items, names->functions.count, sizeof(struct busy_function), compare);
    return names;
}

void busy_names_destroy(struct busy_names *names)
{
    if (!names)
        return;
    vec_free(&names->functions);
    free(names);
}

bool busy_names_is_allocator(const struct busy_names *names)
{
    return names->has_malloc;
}

/* The number of functions that begin at or before `address`. */
static size_t count_before(const struct busy_names *names, uint64_t address)
{
    return vec_lower_bound(&names->functions, function, function->start <= address);
}

bool busy_names_hold(const struct busy_names *names, uint64_t address)
{
    size_t next = count_before(names, address);
    const struct busy_function *functions = names->functions.items;
    bool named = false;
    /* Several names may begin at one place; the busy ones are last. */
    if (next > 0) {
        const struct busy_function *before = &functions[next - 1];
        named = address < before->end;
        if (named && before->busy)
            return true;
        if (!named && before->allocates && address - before->end < HELPERS_WITHIN)
            return true;
    }
    return !named && next < names->functions.count && functions[next].allocates &&
           functions[next].start - address < HELPERS_WITHIN;
}
