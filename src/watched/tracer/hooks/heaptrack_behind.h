/* heaptrack_behind.h - heaptrack itself in the same process.
 *
 * The names in heaptrack_names.c are those of heaptrack's own functions, which heaptrack calls by
 * name: where our library comes before heaptrack's, these calls come to us.  (In libmemoir.so
 * alone.) */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct heaptrack_functions {
    void (*malloc)(void *, size_t);
    void (*free)(void *);
    void (*realloc)(void *, size_t, void *);
    void (*realloc2)(uintptr_t, size_t, uintptr_t); /* NULL before heaptrack 1.4. */
    void (*init)(const char *, void (*)(void), void (*)(void *), void (*)(void));
    void (*stop)(void);
    void (*pause)(void);
    void (*resume)(void);
    void (*invalidate_module_cache)(void);
};

/* Returns heaptrack's own functions if the caller is heaptrack, which means them; else NULL.
 * Allocates nothing. */
const struct heaptrack_functions *heaptrack_behind(const void *caller)
    __attribute__((weak, visibility("hidden")));
