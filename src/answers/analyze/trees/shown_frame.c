/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/trees/shown_frame.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *path_basename(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

string_id module_show(struct recording *recording, string_id module)
{
    const char *path = recording_text(recording, module);
    return recording_intern(recording, *path ? path_basename(path) : "[unknown]");
}

/* Allocator entries by their whole name, whatever module they come from: an executable with an
 * allocator inside has them too.  Names that allocate as a side effect (strdup, fopen) are not
 * here: they tell something. */
static const char *const allocator_names[] = {
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "posix_memalign",
    "aligned_alloc",
    "memalign",
    "valloc",
    "pvalloc",
    "__libc_malloc",
    "__libc_calloc",
    "__libc_realloc",
    "__libc_memalign",
    "__libc_valloc",
    "__libc_pvalloc",
    "__libc_reallocarray",
    "__posix_memalign",
    "__GI___libc_malloc",
    "__GI___libc_calloc",
    "__GI___libc_realloc",
    "_int_malloc",
    "_int_realloc",
    "_int_memalign",
    "_mid_memalign",
    "malloc_hook_ini",
    "mmap",
    "mmap64",
    "__mmap",
    "__mmap64",
    "mremap",
    "__mremap",
    "brk",
    "__brk",
    "sbrk",
    "__sbrk",
    "__rust_alloc",
    "__rust_alloc_zeroed",
    "__rust_realloc",
    "__rdl_alloc",
    "__rdl_alloc_zeroed",
    "__rdl_realloc",
    "__rg_alloc",
    "__rg_alloc_zeroed",
    "__rg_realloc",
    "alloc::alloc::alloc",
    "alloc::alloc::alloc_zeroed",
    "alloc::alloc::realloc",
    "alloc::alloc::exchange_malloc",
    "mallocx",
    "rallocx",
    "je_malloc",
    "je_calloc",
    "je_realloc",
    "je_mallocx",
    "je_rallocx",
    "mi_malloc",
    "mi_calloc",
    "mi_realloc",
    "mi_zalloc",
    "mi_malloc_aligned",
    "mi_zalloc_aligned",
    "mi_realloc_aligned",
    "tc_malloc",
    "tc_calloc",
    "tc_realloc",
    "tc_new",
    "tc_newarray",
    "memoir_alloc",
    "memoir_realloc",
    "memoir_pool_alloc",
    "memoir_pool_realloc",
    "memoir_region",
    "heaptrack_malloc",
    "heaptrack_realloc",
    "heaptrack_realloc2",
};

/* Entries that carry types or parameters: the name begins so, and holds `inside`. */
static const struct {
    const char *prefix, *inside;
} allocator_shapes[] = {
    {"operator new(", ""},
    {"operator new[](", ""},
    {"__gnu_cxx::new_allocator<", ">::allocate("},
    {"std::__new_allocator<", ">::allocate("},
    {"std::allocator<", ">::allocate("},
    {"std::allocator_traits<", ">::allocate("},
    {"alloc::alloc::Global::", ""},
    {"<alloc::alloc::Global as ", ""},
};

static bool is_allocator_name(const char *name)
{
    for (size_t i = 0; i < sizeof(allocator_names) / sizeof(allocator_names[0]); i++)
        if (strcmp(name, allocator_names[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof(allocator_shapes) / sizeof(allocator_shapes[0]); i++) {
        size_t const length = strlen(allocator_shapes[i].prefix);
        if (strncmp(name, allocator_shapes[i].prefix, length) == 0 &&
            strstr(name + length, allocator_shapes[i].inside))
            return true;
    }
    return false;
}

bool shown_frame_is_allocator(const struct recording *recording, const struct shown_frame *frame)
{
    const char *module = path_basename(recording_text(recording, frame->module));
    if (strncmp(module, "libmemoir.so", strlen("libmemoir.so")) == 0)
        return true; /* the tracer's own hooks */
    return is_allocator_name(recording_text(recording, frame->function));
}

/* All frames of one function have one name. */
static string_id make_up_name(struct recording *recording, const struct frame *frame,
                              string_id module)
{
    char name[300];
    uint64_t const address = frame->address - (frame->into_function ? frame->into_function - 1 : 0);
    if (module)
        snprintf(name, sizeof(name), "%.200s+0x%" PRIx64,
                 path_basename(recording_text(recording, module)), address);
    else
        snprintf(name, sizeof(name), "0x%" PRIx64, address);
    return recording_intern(recording, name);
}

size_t frame_show(struct recording *recording, uint32_t index, struct shown_frame *out, size_t max)
{
    if (index >= recording->frames.count)
        return 0;
    const struct frame *frame = &recording->frames.items[index];
    string_id const module = frame->module < recording->modules.count
                                 ? recording->modules.items[frame->module].path
                                 : STRING_EMPTY;
    size_t const known = recording->locations.count;
    size_t const first = frame->first_location < known ? frame->first_location : known;
    size_t const count =
        frame->location_count < known - first ? frame->location_count : known - first;
    size_t const lines = count ? count : 1;

    for (size_t i = 0; i < lines && i < max; i++) {
        out[i] = (struct shown_frame){.module = module, .inlined = i + 1 < lines};
        if (count) {
            const struct location *location = &recording->locations.items[first + i];
            out[i].function = location->function;
            out[i].file = location->file;
            out[i].line = location->line;
        }
        if (!out[i].function)
            out[i].function = make_up_name(recording, frame, module);
    }
    return lines;
}
