/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/elf/module.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "symbols/elf/elf_view.h"
#include "symbols/go/go_module.h"
#include "symbols/dwarf/debug_copy.h"
#include "symbols/dwarf/minidebug.h"
#include "unwind/eh_frame.h"

#define HEADER_LEAST 8u

/* Returns the first address of the function around `address`, by the unwind tables, which need no
 * names; 0 if they have no function there. */
static uint64_t function_start(const struct elf_view *view, uint64_t address)
{
    const uint8_t *bytes = (const uint8_t *)view->bytes.data;
    struct eh_entry entry;
    Elf64_Phdr segment;
    uint32_t number = 0;
    while (elf_view_segment(view, number, &segment) && segment.p_type != PT_GNU_EH_FRAME)
        number++;
    if (!elf_view_segment(view, number, &segment))
        return 0;
    struct slice const header = elf_view_at(view, segment.p_vaddr);
    if (header.size < HEADER_LEAST)
        return 0;
    const uint8_t *at = (const uint8_t *)header.data;
    struct eh_view const tables = {.header = at,
                                   .low = bytes,
                                   .high = bytes + view->bytes.size,
                                   .slide = segment.p_vaddr - (uint64_t)(uintptr_t)at};
    return eh_frame_function(&tables, address, &entry) == 0 ? entry.start : 0;
}

struct elf_module {
    char *path, *root, *build_id; /* who it is */
    struct module_files files;
    struct slice minidebug;     /* unpacked .gnu_debugdata, ours to free */
    struct elf_symbols symbols; /* names point into the files and minidebug */
    struct pclntab go;          /* used when has_go */
    struct dwarf_lines *dwarf;  /* or NULL */
    struct slice copies[2];     /* what it reads of files that others may change */
    bool has_go, is_resting;
};

static void unpack_minidebug(struct elf_module *module)
{
    struct elf_section section;

    if (module->files.module.bytes.size > 0 &&
        elf_view_find(&module->files.module_view, ".gnu_debugdata", &section) &&
        section.bytes.size > 0)
        (void)minidebug_unpack(section.bytes, MINIDEBUG_MAX_BYTES, &module->minidebug);
}

/* The full symbol table if any file has one; else minidebuginfo and dynamic symbols together. */
static void build_symbols(struct elf_module *module)
{
    const struct elf_view *both[] = {&module->files.module_view, NULL};
    const struct elf_view *full[] = {&module->files.debug_view};
    struct elf_view minidebug;
    struct elf_section section;

    if (!elf_view_find_type(full[0], SHT_SYMTAB, &section))
        full[0] = &module->files.module_view;
    if (elf_view_find_type(full[0], SHT_SYMTAB, &section)) {
        (void)elf_symbols_build(&module->symbols, full, 1);
        return;
    }
    unpack_minidebug(module);
    size_t count = 1;
    if (module->minidebug.size > 0 && elf_view_init(&minidebug, module->minidebug) == 0)
        both[count++] = &minidebug;
    (void)elf_symbols_build(&module->symbols, both, count);
}

/* The bytes themselves, or a copy of those that libdw reads. */
static struct slice stable(const struct elf_image *image, struct slice *copy)
{
    if (!image->may_change)
        return image->bytes;
    *copy = debug_copy_make(image->bytes);
    return *copy;
}

static bool has_dwarf(const struct elf_image *image)
{
    struct elf_view view;
    struct elf_section section;
    return elf_view_init(&view, image->bytes) == 0 &&
           (elf_view_find(&view, ".debug_info", &section) ||
            elf_view_find(&view, ".zdebug_info", &section));
}

static void close_dwarf(struct elf_module *module)
{
    dwarf_lines_close(module->dwarf);
    module->dwarf = NULL;
    for (size_t i = 0; i < sizeof(module->copies) / sizeof(module->copies[0]); i++) {
        debug_copy_free(module->copies[i]);
        module->copies[i] = (struct slice){"", 0};
    }
}

static void open_dwarf(struct elf_module *module)
{
    const struct elf_image *image =
        module->files.debug.bytes.size > 0 ? &module->files.debug : &module->files.module;

    if (image->bytes.size == 0 || !has_dwarf(image))
        return;
    struct slice const bytes = stable(image, &module->copies[0]);
    struct slice const alternate = stable(&module->files.alternate, &module->copies[1]);
    if (bytes.size > 0)
        module->dwarf = dwarf_lines_open(bytes, alternate, module->root);
    if (!module->dwarf)
        close_dwarf(module);
}

struct elf_module *module_create(const struct resolver_module *wanted)
{
    struct elf_module *module = calloc(1, sizeof(*module));
    if (!module)
        return NULL;
    module->path = strdup(wanted->path);
    module->root = strdup(wanted->root);
    module->build_id = strdup(wanted->build_id);
    if (!module->path || !module->root || !module->build_id) {
        module->files = (struct module_files){
            .module = ELF_IMAGE_NONE, .debug = ELF_IMAGE_NONE, .alternate = ELF_IMAGE_NONE};
        module_destroy(module);
        return NULL;
    }
    module_files_open(&module->files, wanted);
    module->has_go = module->files.module.bytes.size > 0 &&
                     go_module_find(&module->go, &module->files.module_view) == 0;
    build_symbols(module);
    open_dwarf(module);
    return module;
}

void module_destroy(struct elf_module *module)
{
    if (!module)
        return;
    close_dwarf(module);
    elf_symbols_free(&module->symbols);
    free((char *)module->minidebug.data);
    module_files_close(&module->files);
    free(module->path);
    free(module->root);
    free(module->build_id);
    free(module);
}

bool module_is(const struct elf_module *module, const struct resolver_module *wanted)
{
    bool const is_open = module->files.module.bytes.size > 0 || module->files.debug.bytes.size > 0;
    if (strcmp(module->build_id, wanted->build_id) != 0)
        return false;
    /* A build-id says what is in it: then one for all processes that have it mapped, by whatever
     * name and root. */
    return (is_open && module->build_id[0]) ||
           (strcmp(module->path, wanted->path) == 0 && strcmp(module->root, wanted->root) == 0);
}

bool module_is_intact(const struct elf_module *module)
{
    return module_files_are_intact(&module->files);
}

static const char *keep(struct text_pool *texts, const char *text)
{
    return text_pool_keep(texts, text ? text : "", text ? strlen(text) : 0);
}

/* Without "./" parts; ".." stays, since a symbolic link may stand before it. */
static size_t append_path(char *to, size_t used, const char *path)
{
    while (*path != '\0' && used + 2 < PATH_MAX) {
        size_t part = strcspn(path, "/");
        bool is_dot = part == 1 && path[0] == '.';
        if (part > 0 && !is_dot && used + part + 2 < PATH_MAX) {
            if (used > 0 && to[used - 1] != '/')
                to[used++] = '/';
            memcpy(to + used, path, part);
            used += part;
        } else if (part == 0 && used == 0) {
            to[used++] = '/';
        }
        path += part + (path[part] == '/');
    }
    return used;
}

/* A relative folder comes from a build that hid its real one: joining it would invent a path. */
static const char *keep_path(struct text_pool *texts, const struct dwarf_frame *frame)
{
    char path[PATH_MAX];
    size_t used = 0;

    if (!frame->file)
        return keep(texts, NULL);
    if (frame->file[0] != '/' && frame->folder && frame->folder[0] == '/')
        used = append_path(path, 0, frame->folder);
    used = append_path(path, used, frame->file);
    return text_pool_keep(texts, path, used);
}

static size_t lookup_go(struct elf_module *module, struct text_pool *texts, uint64_t address,
                        struct resolved out[RESOLVED_MAX])
{
    struct go_frame frames[RESOLVED_MAX];
    size_t count = pclntab_find(&module->go, address, frames, RESOLVED_MAX);

    for (size_t i = 0; i < count; i++) {
        const char *name = text_pool_keep(texts, frames[i].function.data, frames[i].function.size);
        out[i] = (struct resolved){
            .function = name,
            .symbol = name,
            .file = text_pool_keep(texts, frames[i].file.data, frames[i].file.size),
            .line = frames[i].line,
        };
    }
    return count;
}

static bool is_mangled(struct slice symbol)
{
    return symbol.size > 2 && symbol.data[0] == '_' &&
           (symbol.data[1] == 'Z' || symbol.data[1] == 'R');
}

/* The real function: DWARF knows how it was written, the symbol table what it is called now
 * ("work.constprop.0"), and sometimes only one of them knows it at all. */
static void name_function(struct resolved *out, const struct dwarf_frame *frame,
                          struct slice symbol, struct text_pool *texts)
{
    if (frame->linkage) {
        out->symbol = keep(texts, frame->linkage);
        out->function = text_pool_readable(texts, out->symbol);
        return;
    }
    out->symbol = symbol.size > 0 ? text_pool_keep(texts, symbol.data, symbol.size)
                                  : keep(texts, frame->name);
    out->function = frame->name && !is_mangled(symbol) ? keep(texts, frame->name)
                                                       : text_pool_readable(texts, out->symbol);
}

static size_t lookup_dwarf(struct elf_module *module, struct text_pool *texts, uint64_t address,
                           struct resolved out[RESOLVED_MAX])
{
    struct dwarf_frame frames[RESOLVED_MAX];
    size_t count = dwarf_lines_find(module->dwarf, address, frames);
    struct slice none = {"", 0};

    for (size_t i = 0; i < count; i++) {
        bool real = i + 1 == count;
        name_function(&out[i], &frames[i],
                      real ? elf_symbols_find(&module->symbols, address) : none, texts);
        out[i].file = keep_path(texts, &frames[i]);
        out[i].line = frames[i].line;
    }
    return count;
}

size_t module_lookup(struct elf_module *module, struct text_pool *texts, uint64_t address,
                     struct resolved out[RESOLVED_MAX])
{
    size_t count = 0;

    if (module->is_resting)
        open_dwarf(module);
    module->is_resting = false;
    if (module->has_go)
        count = lookup_go(module, texts, address, out);
    if (count == 0 && module->dwarf)
        count = lookup_dwarf(module, texts, address, out);
    if (count > 0)
        return count;
    struct slice symbol = elf_symbols_find(&module->symbols, address);
    if (symbol.size == 0)
        return 0;
    const char *kept = text_pool_keep(texts, symbol.data, symbol.size);
    out[0] = (struct resolved){text_pool_readable(texts, kept), kept, "", 0};
    return 1;
}

uint64_t module_function_start(const struct elf_module *module, uint64_t address)
{
    return module->files.module.bytes.size > 0 ? function_start(&module->files.module_view, address)
                                               : 0;
}

size_t module_forgettable_bytes(const struct elf_module *module)
{
    return module->dwarf ? dwarf_lines_bytes(module->dwarf) : 0;
}

size_t module_bytes(const struct elf_module *module)
{
    size_t fixed = module->dwarf ? dwarf_lines_fixed_bytes(module->dwarf) : 0;
    return sizeof(*module) + elf_symbols_bytes(&module->symbols) + module->minidebug.size + fixed +
           module_forgettable_bytes(module);
}

void module_rest(struct elf_module *module)
{
    module->is_resting = module->is_resting || module->dwarf;
    close_dwarf(module);
}

void module_forget(struct elf_module *module)
{
    if (module->dwarf)
        dwarf_lines_forget(module->dwarf);
}
