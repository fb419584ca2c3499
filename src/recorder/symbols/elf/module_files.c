/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/elf/module_files.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

#include "symbols/dwarf/debuginfod.h"
#include "symbols/elf/mapped_file.h"

#define DEBUG_FOLDER "/usr/lib/debug"

static const char deleted[] = " (deleted)";

static bool is_vdso(const char *path)
{
    return strcmp(path, "[vdso]") == 0 || strcmp(path, "linux-vdso.so.1") == 0;
}

/* Takes a look at an opened image; closes it when it is no ELF file or has the wrong build-id. */
static bool accept(struct elf_image *image, struct elf_view *view, const char *wanted)
{
    char build_id[ELF_BUILD_ID_HEX];

    if (elf_view_init(view, image->bytes) == 0) {
        elf_view_build_id(view, build_id);
        if (wanted[0] == '\0' || strcmp(wanted, build_id) == 0)
            return true;
    }
    elf_image_close(image);
    return false;
}

static bool open_named(struct module_files *files, const struct resolver_module *module)
{
    char path[PATH_MAX];
    size_t size = strlen(module->path), suffix = sizeof(deleted) - 1;

    if (is_vdso(module->path))
        return elf_image_open_vdso(&files->module) == 0 &&
               accept(&files->module, &files->module_view, module->build_id);
    if (elf_image_open(&files->module, module->root, module->path) == 0)
        return accept(&files->module, &files->module_view, module->build_id);
    /* What the kernel calls deleted was often replaced by an equal file: the build-id tells. */
    if (module->build_id[0] == '\0' || size <= suffix || size >= sizeof(path) ||
        strcmp(module->path + size - suffix, deleted) != 0)
        return false;
    memcpy(path, module->path, size - suffix);
    path[size - suffix] = '\0';
    return elf_image_open(&files->module, module->root, path) == 0 &&
           accept(&files->module, &files->module_view, module->build_id);
}

static bool open_module(struct module_files *files, const struct resolver_module *module)
{
    if (open_named(files, module))
        return true;
    int const fd = mapped_file_open(module->root, module->path);
    if (fd >= 0 && elf_image_take(&files->module, fd) == 0 &&
        accept(&files->module, &files->module_view, module->build_id))
        return true;
    /* The process may have ended, and its folder with it: the file is the same if its build-id
     * is. */
    struct resolver_module here = *module;
    here.root = "";
    return module->root[0] != '\0' && module->build_id[0] != '\0' && open_named(files, &here);
}

/* Opens a file by build-id below the debug folder of `root`. */
static bool open_by_build_id(struct elf_image *image, struct elf_view *view, const char *root,
                             const char *build_id)
{
    char path[PATH_MAX];

    if (strlen(build_id) < 4 || strspn(build_id, "0123456789abcdef") != strlen(build_id) ||
        snprintf(path, sizeof(path), DEBUG_FOLDER "/.build-id/%.2s/%s.debug", build_id,
                 build_id + 2) >= (int)sizeof(path))
        return false;
    return elf_image_open(image, root, path) == 0 && accept(image, view, build_id);
}

static uint32_t crc_of(struct slice bytes)
{
    return (uint32_t)crc32_z(0, (const Bytef *)bytes.data, bytes.size);
}

/* Tries the three customary places for the file that .gnu_debuglink names. */
static bool open_by_debuglink(struct module_files *files, const struct resolver_module *module,
                              const char *build_id)
{
    static const struct {
        const char *before, *after;
    } places[] = {{"", "/"}, {"", "/.debug/"}, {DEBUG_FOLDER, "/"}};
    const char *slash = strrchr(module->path, '/');
    struct slice name;
    uint32_t crc;
    char path[PATH_MAX];

    if (!slash || files->module.bytes.size == 0 ||
        !elf_view_debuglink(&files->module_view, &name, &crc))
        return false;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        int size = snprintf(path, sizeof(path), "%s%.*s%s%.*s", places[i].before,
                            (int)(slash - module->path), module->path, places[i].after,
                            (int)name.size, name.data);
        if (size >= (int)sizeof(path) || elf_image_open(&files->debug, module->root, path) != 0 ||
            !accept(&files->debug, &files->debug_view, build_id))
            continue;
        if (crc_of(files->debug.bytes) == crc)
            return true;
        elf_image_close(&files->debug);
    }
    return false;
}

static bool has_section(const struct elf_image *image, const struct elf_view *view,
                        const char *name)
{
    struct elf_section section;
    return image->bytes.size > 0 && elf_view_find(view, name, &section);
}

static bool has_dwarf(const struct elf_image *image, const struct elf_view *view)
{
    return has_section(image, view, ".debug_info") || has_section(image, view, ".zdebug_info");
}

static void open_debug(struct module_files *files, const struct resolver_module *module)
{
    char build_id[ELF_BUILD_ID_HEX] = "";

    if (has_dwarf(&files->module, &files->module_view))
        return;
    if (files->module.bytes.size > 0)
        elf_view_build_id(&files->module_view, build_id);
    else
        snprintf(build_id, sizeof(build_id), "%s", module->build_id);
    if (open_by_build_id(&files->debug, &files->debug_view, module->root, build_id) ||
        (module->root[0] != '\0' &&
         open_by_build_id(&files->debug, &files->debug_view, "", build_id)) ||
        open_by_debuglink(files, module, build_id))
        return;
    /* A Go program carries its own lines: not worth a wait for a server. */
    if (has_section(&files->module, &files->module_view, ".gopclntab"))
        return;
    int fd = debuginfod_open(build_id);
    if (fd >= 0 && elf_image_take(&files->debug, fd) == 0)
        (void)accept(&files->debug, &files->debug_view, build_id);
}

/* Needs the exact build-id, so a path in a hostile file opens nothing but what it describes. */
static void open_alternate(struct module_files *files, const char *root)
{
    const struct elf_view *view =
        files->debug.bytes.size > 0 ? &files->debug_view : &files->module_view;
    char build_id[ELF_BUILD_ID_HEX], path[PATH_MAX];
    struct elf_view alternate;
    struct slice link;

    if (view->bytes.size == 0 || !elf_view_altlink(view, &link, build_id))
        return;
    if (open_by_build_id(&files->alternate, &alternate, root, build_id) ||
        (root[0] != '\0' && open_by_build_id(&files->alternate, &alternate, "", build_id)))
        return;
    if (link.data[0] == '/' && link.size < sizeof(path)) {
        memcpy(path, link.data, link.size);
        path[link.size] = '\0';
        if (elf_image_open(&files->alternate, root, path) == 0)
            (void)accept(&files->alternate, &alternate, build_id);
    }
}

void module_files_open(struct module_files *files, const struct resolver_module *module)
{
    *files = (struct module_files){
        .module = ELF_IMAGE_NONE, .debug = ELF_IMAGE_NONE, .alternate = ELF_IMAGE_NONE};
    if (!open_module(files, module))
        files->module_view = (struct elf_view){0};
    open_debug(files, module);
    if (files->debug.bytes.size == 0)
        files->debug_view = (struct elf_view){0};
    open_alternate(files, module->root);
}

void module_files_close(struct module_files *files)
{
    elf_image_close(&files->module);
    elf_image_close(&files->debug);
    elf_image_close(&files->alternate);
}

bool module_files_are_intact(const struct module_files *files)
{
    return elf_image_is_intact(&files->module) && elf_image_is_intact(&files->debug) &&
           elf_image_is_intact(&files->alternate);
}
