/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/library/target_modules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "inject/threads/busy_names.h"
#include "unwind/eh_frame.h"

#define TABLES_MAX (256ull << 20)

struct target_module {
    struct loaded_elf elf;
    enum module_kind kind;
    char name[256]; /* the end of its path */
    bool prepared;
    struct eh_view tables; /* in `copy` */
    uint8_t *copy;
    struct busy_names *busy;
};

static bool is_served(const struct target_modules *modules, const struct map_region *region)
{
    return region->inode != 0 && mounted_devices_is_served(&modules->devices, region->device);
}

bool target_modules_read(const struct target_modules *modules, uint64_t address, void *to,
                         size_t size)
{
    for (uint64_t at = address; at - address < size;) {
        const struct map_region *region = map_list_find(&modules->maps, at);
        if (!region) /* remote_read finds nothing either */
            break;
        if (is_served(modules, region))
            return false;
        at = region->end;
    }
    return remote_read(modules->memory, address, to, size);
}

static bool read_remote(void *context, uint64_t address, void *to, size_t size)
{
    return target_modules_read(context, address, to, size);
}

struct memory_reader target_modules_reader(const struct target_modules *modules)
{
    return (struct memory_reader){read_remote, (void *)modules};
}

void target_modules_init(struct target_modules *modules, const struct remote_memory *memory)
{
    *modules = (struct target_modules){.memory = memory};
}

static void module_destroy(struct target_module *module)
{
    if (!module)
        return;
    busy_names_destroy(module->busy);
    free(module->copy);
    free(module);
}

void target_modules_fini(struct target_modules *modules)
{
    vec_each (module, &modules->modules)
        module_destroy(*module);
    vec_free(&modules->modules);
    map_list_fini(&modules->maps);
    mounted_devices_fini(&modules->devices);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static enum module_kind kind_by_name(const char *path)
{
    const char *name = file_name(path);
    if (strcmp(path, "[vdso]") == 0)
        return MODULE_KERNEL;
    if (starts(name, "ld-linux") || starts(name, "ld-2.") || starts(name, "ld.so"))
        return MODULE_LOADER;
    if (starts(name, "libc.so.6") || starts(name, "libc-2."))
        return MODULE_LIBC;
    if (starts(name, "libmemoir.so") || starts(name, "memfd:libmemoir.so"))
        return MODULE_TRACER;
    return MODULE_PROGRAM;
}

/* Whatever its name: exactly our library. */
static bool is_own(const struct target_modules *modules, const struct loaded_elf *elf)
{
    return elf->build_id_size > 0 && elf->build_id_size == modules->own_build_id_size &&
           memcmp(elf->build_id, modules->own_build_id, elf->build_id_size) == 0;
}

static struct target_module *module_create(struct target_modules *modules,
                                           const struct map_region *region)
{
    struct target_module *module = calloc(1, sizeof(*module));
    if (!module ||
        loaded_elf_read(target_modules_reader(modules), region->start, &module->elf) < 0) {
        free(module);
        return NULL;
    }
    size_t length = strlen(region->name);
    size_t skip = length < sizeof(module->name) ? 0 : length - sizeof(module->name) + 1;
    memcpy(module->name, region->name + skip, length - skip + 1);
    module->kind = is_own(modules, &module->elf) ? MODULE_TRACER : kind_by_name(region->name);
    return module;
}

static bool is_same(const struct loaded_elf *a, const struct loaded_elf *b)
{
    return a->base == b->base && a->low == b->low && a->high == b->high &&
           a->symbols == b->symbols && a->eh_header == b->eh_header &&
           a->build_id_size == b->build_id_size &&
           memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}

/* The same object, known from before: same place, same build. */
static struct target_module *detach_known(struct target_modules *modules,
                                          const struct target_module *fresh)
{
    vec_each (known, &modules->modules) {
        struct target_module *module = *known;
        if (module && is_same(&module->elf, &fresh->elf) &&
            strcmp(module->name, fresh->name) == 0) {
            *known = NULL;
            return module;
        }
    }
    return NULL;
}

/* Adds the object that begins with the region, as it is known already or anew.  0, also when
 * there is none. */
static int add_module(struct target_modules *modules, struct target_modules *known_before,
                      const struct map_region *region)
{
    if (region->offset != 0 || !region->readable || (region->inode == 0 && region->name[0] != '['))
        return 0;
    struct target_module *module = module_create(modules, region);
    struct target_module *known = module ? detach_known(known_before, module) : NULL;
    if (known) {
        module_destroy(module);
        module = known;
    }
    if (!module || vec_push(&modules->modules, module))
        return 0;
    module_destroy(module);
    return -ENOMEM;
}

int target_modules_refresh(struct target_modules *modules, int maps, int mountinfo)
{
    struct target_modules fresh = {.memory = modules->memory,
                                   .memfd_device = modules->memfd_device,
                                   .own_build_id = modules->own_build_id,
                                   .own_build_id_size = modules->own_build_id_size};
    int err = map_list_read_open(maps, &fresh.maps);
    if (err == 0)
        err = mounted_devices_read_open(mountinfo, fresh.memfd_device, &fresh.devices);
    vec_each (region, &fresh.maps.regions) {
        if (err == 0)
            err = add_module(&fresh, modules, region);
    }
    target_modules_fini(modules);
    *modules = fresh;
    return err;
}

struct target_module *target_modules_at(const struct target_modules *modules, uint64_t address)
{
    vec_each (module, &modules->modules) {
        if (address >= (*module)->elf.low && address < (*module)->elf.high)
            return *module;
    }
    return NULL;
}

struct target_module *target_modules_of(const struct target_modules *modules, enum module_kind kind)
{
    vec_each (module, &modules->modules) {
        if ((*module)->kind == kind)
            return *module;
    }
    return NULL;
}

struct target_module *target_modules_own(const struct target_modules *modules)
{
    vec_each (module, &modules->modules) {
        if (is_own(modules, &(*module)->elf))
            return *module;
    }
    return NULL;
}

const struct loaded_elf *target_module_elf(const struct target_module *module)
{
    return &module->elf;
}

const char *target_module_name(const struct target_module *module)
{
    return module->name;
}

enum module_kind target_module_kind(const struct target_module *module)
{
    return module->kind;
}

/* Copies .eh_frame_hdr and what follows it, or comes before it: linkers differ. */
static void copy_tables(const struct target_modules *modules, struct target_module *module)
{
    const struct loaded_elf *elf = &module->elf;
    uint8_t head[8];
    int32_t distance;
    if (!elf->eh_header || elf->eh_header + sizeof(head) > elf->eh_high ||
        !target_modules_read(modules, elf->eh_header, head, sizeof(head)))
        return;
    uint64_t low = elf->eh_header;
    memcpy(&distance, head + 4, sizeof(distance));
    if (head[1] == 0x1b) { /* relative to itself, four bytes: what every linker writes */
        uint64_t frames = elf->eh_header + 4 + (uint64_t)(int64_t)distance;
        if (frames >= elf->eh_low && frames < low)
            low = frames;
    } else {
        low = elf->eh_low;
    }
    uint64_t size = elf->eh_high - low;
    if (size > TABLES_MAX || !(module->copy = malloc(size)))
        return;
    if (!target_modules_read(modules, low, module->copy, size)) {
        free(module->copy);
        module->copy = NULL;
        return;
    }
    module->tables = (struct eh_view){.header = module->copy + (elf->eh_header - low),
                                      .low = module->copy,
                                      .high = module->copy + size,
                                      .slide = low - (uint64_t)(uintptr_t)module->copy};
}

void target_modules_prepare(struct target_modules *modules, struct target_module *module)
{
    if (module->prepared)
        return;
    module->prepared = true;
    copy_tables(modules, module);
    if (module->kind == MODULE_PROGRAM || module->kind == MODULE_LIBC)
        module->busy = busy_names_create(target_modules_reader(modules), &module->elf,
                                         module->kind == MODULE_LIBC);
    if (module->kind == MODULE_PROGRAM && module->busy && busy_names_is_allocator(module->busy) &&
        strncmp(file_name(module->name), "lib", 3) == 0)
        module->kind = MODULE_ALLOCATOR;
}

bool target_module_is_prepared(const struct target_module *module)
{
    return module->prepared;
}

int target_module_row(const struct target_module *module, uint64_t pc, struct unwind_row *row)
{
    return module->copy ? eh_frame_row(&module->tables, pc, row) : -ENOENT;
}

enum frame_kind target_module_judge(const struct target_module *module, uint64_t pc)
{
    switch (module->kind) {
    case MODULE_LOADER:
    case MODULE_TRACER:
    case MODULE_ALLOCATOR:
        return FRAME_BUSY;
    case MODULE_KERNEL:
        return FRAME_LIBC_FINE;
    case MODULE_LIBC:
        if (!module->busy)
            return FRAME_UNKNOWN;
        return busy_names_hold(module->busy, pc) ? FRAME_BUSY : FRAME_LIBC_FINE;
    case MODULE_PROGRAM:
        break;
    }
    return module->busy && busy_names_hold(module->busy, pc) ? FRAME_BUSY : FRAME_FINE;
}

uint64_t target_modules_function(const struct target_modules *modules,
                                 const struct target_module *module, const char *name)
{
    return loaded_elf_function(target_modules_reader(modules), &module->elf, name);
}
