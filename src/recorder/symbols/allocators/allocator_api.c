/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/allocators/allocator_api.h"

#include <stdlib.h>

#define NO INSIDE_NO
#define ALLOC(size)                                                                                \
    {                                                                                              \
        INSIDE_ALLOC, NO, size, NO                                                                 \
    }
#define ARRAY(n, size)                                                                             \
    {                                                                                              \
        INSIDE_ALLOC, NO, size, n                                                                  \
    }
#define TEXT                                                                                       \
    {                                                                                              \
        INSIDE_ALLOC_TEXT, NO, NO, NO                                                              \
    }
#define FREE                                                                                       \
    {                                                                                              \
        INSIDE_FREE, 0, NO, NO                                                                     \
    }
#define RESIZE(block)                                                                              \
    {                                                                                              \
        INSIDE_RESIZE, block, (block) + 1, NO                                                      \
    }
#define RESIZE_ARRAY(block)                                                                        \
    {                                                                                              \
        INSIDE_RESIZE, block, (block) + 2, (block) + 1                                             \
    }

struct api_function {
    const char *name;
    struct inside_shape shape;
};

/* In order of the name, for bsearch.  These mean the same wherever they are met: functions of
 * libc, and of jemalloc with its x. */
static const struct api_function common[] = {
    {"aligned_alloc", ALLOC(1)},
    {"calloc", ARRAY(0, 1)},
    {"cfree", FREE},
    {"dallocx", FREE},
    {"free", FREE},
    {"free_aligned_sized", FREE},
    {"free_sized", FREE},
    {"malloc", ALLOC(0)},
    {"mallocx", ALLOC(0)},
    {"memalign", ALLOC(1)},
    {"posix_memalign", {INSIDE_ALLOC_OUT, 0, 2, NO}},
    {"pvalloc", ALLOC(0)},
    {"rallocx", RESIZE(0)},
    {"realloc", RESIZE(0)},
    {"reallocarray", RESIZE_ARRAY(0)},
    {"sdallocx", FREE},
    {"valloc", ALLOC(0)},
    {"xallocx", {INSIDE_XALLOCX, 0, 1, NO}},
};

/* These mean something only after the prefix of mimalloc, whose heap_ functions have the heap as
 * first argument ... */
static const struct api_function mimalloc[] = {
    {"_expand", {INSIDE_EXPAND, 0, 1, NO}},
    {"aligned_offset_recalloc", RESIZE_ARRAY(0)},
    {"aligned_recalloc", RESIZE_ARRAY(0)},
    {"calloc_aligned", ARRAY(0, 1)},
    {"calloc_aligned_at", ARRAY(0, 1)},
    {"expand", {INSIDE_EXPAND, 0, 1, NO}},
    {"free_aligned", FREE},
    {"free_size", FREE},
    {"free_size_aligned", FREE},
    {"heap_alloc_new", ALLOC(1)},
    {"heap_alloc_new_n", ARRAY(1, 2)},
    {"heap_calloc", ARRAY(1, 2)},
    {"heap_calloc_aligned", ARRAY(1, 2)},
    {"heap_calloc_aligned_at", ARRAY(1, 2)},
    {"heap_malloc", ALLOC(1)},
    {"heap_malloc_aligned", ALLOC(1)},
    {"heap_malloc_aligned_at", ALLOC(1)},
    {"heap_malloc_small", ALLOC(1)},
    {"heap_mallocn", ARRAY(1, 2)},
    {"heap_realloc", RESIZE(1)},
    {"heap_realloc_aligned", RESIZE(1)},
    {"heap_realloc_aligned_at", RESIZE(1)},
    {"heap_reallocf", {INSIDE_RESIZE_FREE, 1, 2, NO}},
    {"heap_reallocn", RESIZE_ARRAY(1)},
    {"heap_realpath", TEXT},
    {"heap_recalloc", RESIZE_ARRAY(1)},
    {"heap_recalloc_aligned", RESIZE_ARRAY(1)},
    {"heap_recalloc_aligned_at", RESIZE_ARRAY(1)},
    {"heap_rezalloc", RESIZE(1)},
    {"heap_rezalloc_aligned", RESIZE(1)},
    {"heap_rezalloc_aligned_at", RESIZE(1)},
    {"heap_strdup", TEXT},
    {"heap_strndup", TEXT},
    {"heap_zalloc", ALLOC(1)},
    {"heap_zalloc_aligned", ALLOC(1)},
    {"heap_zalloc_aligned_at", ALLOC(1)},
    {"malloc_aligned", ALLOC(0)},
    {"malloc_aligned_at", ALLOC(0)},
    {"malloc_small", ALLOC(0)},
    {"mallocn", ARRAY(0, 1)},
    {"mbsdup", TEXT},
    {"new", ALLOC(0)},
    {"new_aligned", ALLOC(0)},
    {"new_aligned_nothrow", ALLOC(0)},
    {"new_n", ARRAY(0, 1)},
    {"new_nothrow", ALLOC(0)},
    {"new_realloc", RESIZE(0)},
    {"new_reallocn", RESIZE_ARRAY(0)},
    {"realloc_aligned", RESIZE(0)},
    {"realloc_aligned_at", RESIZE(0)},
    {"reallocarr", {INSIDE_RESIZE_OUT, 0, 2, 1}},
    {"reallocf", {INSIDE_RESIZE_FREE, 0, 1, NO}},
    {"reallocn", RESIZE_ARRAY(0)},
    {"realpath", TEXT},
    {"recalloc", RESIZE_ARRAY(0)},
    {"recalloc_aligned", RESIZE_ARRAY(0)},
    {"recalloc_aligned_at", RESIZE_ARRAY(0)},
    {"rezalloc", RESIZE(0)},
    {"rezalloc_aligned", RESIZE(0)},
    {"rezalloc_aligned_at", RESIZE(0)},
    {"strdup", TEXT},
    {"strndup", TEXT},
    {"vfree", FREE},
    {"zalloc", ALLOC(0)},
    {"zalloc_aligned", ALLOC(0)},
    {"zalloc_aligned_at", ALLOC(0)},
    {"zalloc_small", ALLOC(0)},
};

/* ... and these after that of tcmalloc. */
static const struct api_function tcmalloc[] = {
    {"delete", FREE},
    {"delete_aligned", FREE},
    {"delete_aligned_nothrow", FREE},
    {"delete_nothrow", FREE},
    {"delete_sized", FREE},
    {"delete_sized_aligned", FREE},
    {"deletearray", FREE},
    {"deletearray_aligned", FREE},
    {"deletearray_aligned_nothrow", FREE},
    {"deletearray_nothrow", FREE},
    {"deletearray_sized", FREE},
    {"deletearray_sized_aligned", FREE},
    {"malloc_skip_new_handler", ALLOC(0)},
    {"new", ALLOC(0)},
    {"new_aligned", ALLOC(0)},
    {"new_aligned_nothrow", ALLOC(0)},
    {"new_nothrow", ALLOC(0)},
    {"newarray", ALLOC(0)},
    {"newarray_aligned", ALLOC(0)},
    {"newarray_aligned_nothrow", ALLOC(0)},
    {"newarray_nothrow", ALLOC(0)},
};

const char *const allocator_api_usable[] = {"sallocx", "usable_size", "malloc_usable_size",
                                            "malloc_size", NULL};

static int compare(const void *key, const void *item)
{
    const struct slice *name = key;
    const char *other = ((const struct api_function *)item)->name;
    int order = strncmp(name->data, other, name->size);
    return order != 0 ? order : -(int)(unsigned char)other[name->size];
}

static const struct inside_shape *look_up(const struct slice *name,
                                          const struct api_function *table, size_t count)
{
    const struct api_function *found = bsearch(name, table, count, sizeof(table[0]), compare);
    return found ? &found->shape : NULL;
}

const struct inside_shape *allocator_api_find(struct slice name, unsigned which)
{
    if (name.size == 0)
        return NULL;
    const struct inside_shape *shape = look_up(&name, common, sizeof(common) / sizeof(common[0]));
    if (!shape && (which & API_MIMALLOC))
        shape = look_up(&name, mimalloc, sizeof(mimalloc) / sizeof(mimalloc[0]));
    if (!shape && (which & API_TCMALLOC))
        shape = look_up(&name, tcmalloc, sizeof(tcmalloc) / sizeof(tcmalloc[0]));
    return shape;
}

static bool consume(struct slice *text, const char *prefix)
{
    size_t size = strlen(prefix);
    if (text->size < size || memcmp(text->data, prefix, size) != 0)
        return false;
    *text = (struct slice){text->data + size, text->size - size};
    return true;
}

/* _Znwm: operator new, _Zna: new[], _Zdl: delete, _Zda: delete[]; then the arguments.  What
 * tcmalloc's hot_cold_t adds comes last. */
const struct inside_shape *allocator_api_find_operator(struct slice name)
{
    static const struct inside_shape alloc = ALLOC(0), release = FREE;
    bool is_new = consume(&name, "_Znwm") || consume(&name, "_Znam") ||
                  consume(&name, "__size_returning_new");
    if (!is_new && !consume(&name, "_ZdlPv") && !consume(&name, "_ZdaPv"))
        return NULL;
    if (!is_new)
        consume(&name, "m");
    consume(&name, "St11align_val_t");
    consume(&name, "_aligned");
    consume(&name, "RKSt9nothrow_t");
    consume(&name, "12__hot_cold_t");
    consume(&name, "_hot_cold");
    if (name.size > 0)
        return NULL;
    return is_new ? &alloc : &release;
}
