/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/lookup/resolver.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/elf/module.h"
#include "symbols/lookup/perf_map.h"

#define MODULES_MAX     256                        /* open at once: each holds up to 3 files */
#define CACHE_MAX_BYTES ((size_t)32 * 1024 * 1024) /* tables and DWARF of all modules */
#define MAPS_MAX        64                        /* lists of code made at run time, open at once */
#define DWARF_MAX_BYTES ((size_t)8 * 1024 * 1024) /* what was read of one module's DWARF */

/* The list of what a runtime made. */
struct made_code {
    char *path;
    struct perf_map *map;
};

struct resolver {
    struct text_pool *texts;
    struct elf_module *modules[MODULES_MAX]; /* most recently used first */
    size_t module_count;
    struct made_code maps[MAPS_MAX];
    size_t map_count;
};

struct resolver *resolver_create(void)
{
    struct resolver *resolver = calloc(1, sizeof(*resolver));
    if (!resolver)
        return NULL;
    resolver->texts = text_pool_create();
    if (!resolver->texts) {
        free(resolver);
        return NULL;
    }
    return resolver;
}

static void close_made(struct made_code *made)
{
    perf_map_close(made->map);
    free(made->path);
}

void resolver_destroy(struct resolver *resolver)
{
    if (!resolver)
        return;
    for (size_t i = 0; i < resolver->module_count; i++)
        module_destroy(resolver->modules[i]);
    for (size_t i = 0; i < resolver->map_count; i++)
        close_made(&resolver->maps[i]);
    text_pool_destroy(resolver->texts);
    free(resolver);
}

static void move_to_front(struct resolver *resolver, size_t at)
{
    struct elf_module *module = resolver->modules[at];
    memmove(&resolver->modules[1], &resolver->modules[0], at * sizeof(resolver->modules[0]));
    resolver->modules[0] = module;
}

static void drop_last(struct resolver *resolver)
{
    module_destroy(resolver->modules[--resolver->module_count]);
}

/* The module, moved to the front; NULL when out of memory. */
static struct elf_module *find_module(struct resolver *resolver,
                                      const struct resolver_module *wanted)
{
    size_t at = 0;
    while (at < resolver->module_count && !module_is(resolver->modules[at], wanted))
        at++;
    if (at < resolver->module_count) {
        move_to_front(resolver, at);
        if (module_is_intact(resolver->modules[0]))
            return resolver->modules[0];
        /* Rewritten under us: look again, the build-id decides whether it is still the one. */
        module_destroy(resolver->modules[0]);
        resolver->module_count--;
        memmove(&resolver->modules[0], &resolver->modules[1],
                resolver->module_count * sizeof(resolver->modules[0]));
    }
    struct elf_module *module = module_create(wanted);
    if (!module)
        return NULL;
    if (resolver->module_count == MODULES_MAX)
        drop_last(resolver);
    resolver->modules[resolver->module_count] = module;
    move_to_front(resolver, resolver->module_count++);
    return module;
}

/* Keeps the memory of all modules together in bounds.  The one just used keeps its tables, so that
 * a large module alone is never read again and again. */
static void trim(struct resolver *resolver)
{
    size_t total = 0;

    if (module_forgettable_bytes(resolver->modules[0]) > DWARF_MAX_BYTES)
        module_forget(resolver->modules[0]);
    for (size_t i = 0; i < resolver->module_count; i++)
        total += module_bytes(resolver->modules[i]);
    while (total > CACHE_MAX_BYTES && resolver->module_count > 1) {
        total -= module_bytes(resolver->modules[resolver->module_count - 1]);
        drop_last(resolver);
    }
}

/* The list of a process, opened when it is first asked for and kept: the process may be gone the
 * next time. */
static struct perf_map *find_made(struct resolver *resolver, const char *path)
{
    for (size_t i = 0; i < resolver->map_count; i++)
        if (strcmp(resolver->maps[i].path, path) == 0)
            return resolver->maps[i].map;
    struct made_code made = {.path = strdup(path), .map = perf_map_open(path, PERF_MAP_ANYONE)};
    if (!made.path || !made.map) {
        close_made(&made);
        return NULL;
    }
    if (resolver->map_count == MAPS_MAX) {
        close_made(&resolver->maps[0]);
        memmove(&resolver->maps[0], &resolver->maps[1], --resolver->map_count * sizeof(made));
    }
    resolver->maps[resolver->map_count++] = made;
    return made.map;
}

static size_t lookup_made(struct resolver *resolver, const struct resolver_module *module,
                          uint64_t address, struct resolved *out)
{
    struct perf_map *map = find_made(resolver, module->path);
    if (!map)
        return 0;
    perf_map_refresh(map);
    const char *name = perf_map_find(map, address);
    if (!name)
        return 0;
    *out = (struct resolved){.symbol = text_pool_keep(resolver->texts, name, strlen(name)),
                             .file = ""};
    out->function = out->symbol;
    return 1;
}

void resolver_rest(struct resolver *resolver)
{
    for (size_t i = 0; i < resolver->module_count; i++)
        module_rest(resolver->modules[i]);
    malloc_trim(0);
}

size_t resolver_lookup(struct resolver *resolver, const struct resolver_module *module,
                       uint64_t address, struct resolved out[RESOLVED_MAX])
{
    if (perf_map_is_path(module->path))
        return lookup_made(resolver, module, address, out);
    struct elf_module *found = find_module(resolver, module);
    if (!found)
        return 0;
    size_t count = module_lookup(found, resolver->texts, address, out);
    trim(resolver);
    return count;
}

uint64_t resolver_function_start(struct resolver *resolver, const struct resolver_module *module,
                                 uint64_t address)
{
    struct elf_module *found =
        perf_map_is_path(module->path) ? NULL : find_module(resolver, module);
    return found ? module_function_start(found, address) : 0;
}
