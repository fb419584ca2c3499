/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/hooks/heaptrack_behind.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "tracer/process/loaded_objects.h"

static struct heaptrack_functions functions;
static struct loaded_code code; /* 0, 0: heaptrack is not there */
static atomic_bool searched;

static void search(void)
{
    static const struct {
        size_t place;
        const char *name;
    } names[] = {
#define NAME(function) {offsetof(struct heaptrack_functions, function), "heaptrack_" #function}
        NAME(malloc),   NAME(free),   NAME(realloc),
        NAME(realloc2), NAME(init),   NAME(stop),
        NAME(pause),    NAME(resume), NAME(invalidate_module_cache),
#undef NAME
    };
    struct heaptrack_functions found = {0};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        void *function = objects_function_of_others(names[i].name);
        memcpy((char *)&found + names[i].place, &function, sizeof(function));
    }
    functions = found;
    if (found.malloc && found.free && found.realloc && found.init && found.stop && found.pause &&
        found.resume && found.invalidate_module_cache)
        code = objects_code_at((void *)found.init);
}

/* The first call is heaptrack's init, in the program's first thread; several at once would find
 * the same. */
const struct heaptrack_functions *heaptrack_behind(const void *caller)
{
    if (!atomic_load_explicit(&searched, memory_order_acquire)) {
        search();
        atomic_store_explicit(&searched, true, memory_order_release);
    }
    return loaded_code_holds(code, caller) ? &functions : NULL;
}
