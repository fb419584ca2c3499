/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/resolver.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/module.h"

#define MODULES_MAX     256                        /* open at once: each holds up to 3 files */
#define CACHE_MAX_BYTES ((size_t)96 * 1024 * 1024) /* tables and DWARF of all modules */
#define DWARF_MAX_BYTES ((size_t)48 * 1024 * 1024) /* what was read of one module's DWARF */

struct resolver {
    struct text_pool *texts;
    struct module *modules[MODULES_MAX]; /* most recently used first */
    size_t module_count;
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

void resolver_destroy(struct resolver *resolver)
{
    if (!resolver)
        return;
    for (size_t i = 0; i < resolver->module_count; i++)
        module_destroy(resolver->modules[i]);
    text_pool_destroy(resolver->texts);
    free(resolver);
}

static void move_to_front(struct resolver *resolver, size_t at)
{
    struct module *module = resolver->modules[at];
    memmove(&resolver->modules[1], &resolver->modules[0], at * sizeof(resolver->modules[0]));
    resolver->modules[0] = module;
}

static void drop_last(struct resolver *resolver)
{
    module_destroy(resolver->modules[--resolver->module_count]);
}

/* The module, moved to the front; NULL when out of memory. */
static struct module *find_module(struct resolver *resolver, const struct resolver_module *wanted)
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
    struct module *module = module_create(wanted);
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

size_t resolver_lookup(struct resolver *resolver, const struct resolver_module *module,
                       uint64_t address, struct resolved out[RESOLVED_MAX])
{
    struct module *found = find_module(resolver, module);
    if (!found)
        return 0;
    size_t count = module_lookup(found, resolver->texts, address, out);
    trim(resolver);
    return count;
}
