/* SPDX-License-Identifier: Apache-2.0 */
/* listed_code.c - the code of a process, from a list of its mappings and the files of this
 * machine. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "stacks/process_code_parts.h"
#include "stacks/process_file.h"
#include "symbols/elf/elf_image.h"

/* The same as it was told. */
static struct code_region as_told(struct code_region region)
{
    if (region.tables && region.build_id == region.tables->build_id)
        region.build_id = "";
    region.tables = NULL; /* those are counted, and found again when wanted */
    region.is_prepared = false;
    return region;
}

int process_code_create(struct code_store *store, const struct process_code *parent,
                        struct process_code **code)
{
    struct process_code *made = calloc(1, sizeof(*made));
    if (!made)
        return -ENOMEM;
    made->store = store;
    made->memory = -1;
    made->is_listed = true;
    made->number = code_store_number(store);
    if (parent && !vec_reserve(&made->regions, parent->regions.count + 1)) {
        process_code_close(made);
        return -ENOMEM;
    }
    for (size_t i = 0; parent && i < parent->regions.count; i++)
        made->regions.items[made->regions.count++] = as_told(parent->regions.items[i]);
    *code = made;
    return 0;
}

/* Takes [start, end) out of what is mapped: the first place behind it, or -errno. */
static int make_room(struct process_code *code, uint64_t start, uint64_t end)
{
    size_t at = process_code_place(code, start), gone = at;
    struct code_region *items = code->regions.items;
    if (at < code->regions.count && items[at].start < start && items[at].end > end) { /* in two */
        if (!vec_reserve(&code->regions, 1))
            return -ENOMEM;
        items = code->regions.items;
        memmove(&items[at + 1], &items[at], (code->regions.count++ - at) * sizeof(items[0]));
        items[at + 1] = as_told(items[at]);
        items[at + 1].offset += end - items[at + 1].start;
        items[at + 1].start = end;
        items[at].end = start;
        return (int)at + 1;
    }
    if (at < code->regions.count && items[at].start < start) {
        items[at].end = start;
        gone = ++at;
    }
    for (; gone < code->regions.count && items[gone].end <= end; gone++)
        code_store_release(code->store, items[gone].tables);
    memmove(&items[at], &items[gone], (code->regions.count - gone) * sizeof(items[0]));
    code->regions.count -= gone - at;
    if (at < code->regions.count && items[at].start < end) {
        items[at].offset += end - items[at].start;
        items[at].start = end;
    }
    return (int)at;
}

int process_code_map(struct process_code *code, const struct code_mapping *mapping)
{
    if (mapping->end <= mapping->start)
        return -EINVAL;
    if (code->regions.count + 2 > LISTED_REGIONS_MAX)
        return -ENOSPC;
    if (!vec_reserve(&code->regions, 2))
        return -ENOMEM;
    int const at = make_room(code, mapping->start, mapping->end);
    if (at < 0)
        return at;
    struct code_region *items = code->regions.items;
    memmove(&items[at + 1], &items[at], (code->regions.count++ - (size_t)at) * sizeof(items[0]));
    items[at] = (struct code_region){.start = mapping->start,
                                     .end = mapping->end,
                                     .offset = mapping->offset,
                                     .path = mapping->path,
                                     .build_id = mapping->build_id};
    process_code_forget_rules(code);
    return 0;
}

static bool is_file_path(const char *path)
{
    static const char *const others[] = {"//anon", "/dev/zero", "/memfd:", "/SYSV",
                                         "/anon_hugepage"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strncmp(path, others[i], strlen(others[i])) == 0)
            return false;
    return path[0] == '/';
}

static void find_extent(const struct process_code *code, struct code_region *region)
{
    region->module_start = region->start;
    region->module_end = region->end;
    vec_each (other, &code->regions) {
        if (other->path != region->path)
            continue;
        if (other->start < region->module_start)
            region->module_start = other->start;
        if (other->end > region->module_end)
            region->module_end = other->end;
    }
}

struct listed_file {
    int fd;
    struct elf_image vdso; /* when fd is -1 */
};

static size_t read_listed(void *context, uint64_t offset, void *to, size_t size)
{
    const struct listed_file *file = context;
    if (file->fd >= 0)
        return read_some(file->fd, offset, to, size);
    if (offset >= file->vdso.bytes.size)
        return 0;
    size_t const room = file->vdso.bytes.size - offset;
    memcpy(to, file->vdso.bytes.data + offset, size < room ? size : room);
    return size < room ? size : room;
}

/* The file under the path, or our own vdso. */
static bool open_listed(const char *path, struct listed_file *file, struct image_source *source,
                        struct code_key *key)
{
    struct stat status = {0};
    *file = (struct listed_file){.fd = -1, .vdso = ELF_IMAGE_NONE};
    *source = (struct image_source){.read = read_listed, .context = file};
    if (strcmp(path, "[vdso]") == 0) {
        if (elf_image_open_vdso(&file->vdso) < 0)
            return false;
        source->size = file->vdso.bytes.size;
    } else {
        if ((file->fd = elf_file_open("", path)) < 0)
            return false;
        if (fstat(file->fd, &status) < 0) {
            close(file->fd);
            return false;
        }
        source->size = (uint64_t)status.st_size;
        source->stamp = timespec_ns(&status.st_mtim);
    }
    *key = (struct code_key){status.st_dev, status.st_ino, code_identity(source)};
    return true;
}

static void close_listed(struct listed_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    elf_image_close(&file->vdso);
}

static bool is_wanted_build(const struct code_region *region)
{
    return !region->build_id[0] || strcmp(region->build_id, region->tables->build_id) == 0;
}

void listed_code_prepare(struct process_code *code, struct code_region *region)
{
    bool const is_vdso = strcmp(region->path, "[vdso]") == 0;
    struct listed_file file;
    struct image_source source;
    struct code_key key;
    region->is_prepared = true;
    region->number = code_store_number(code->store);
    region->kind = CODE_MADE;
    region->bias = 0;
    if (!is_vdso && !is_file_path(region->path))
        return;
    region->kind = CODE_FILE;
    region->bias = region->start - region->offset; /* without the file: its offsets */
    find_extent(code, region);
    if (!open_listed(region->path, &file, &source, &key))
        return;
    if (key.identity != 0)
        (void)code_store_acquire(code->store, key, &source, &region->tables);
    else if (!region->build_id[0])
        region->kind = CODE_MADE; /* no ELF object, and nobody says it was one */
    close_listed(&file);
    if (region->tables &&
        (!is_wanted_build(region) ||
         !code_tables_bias(region->tables, region->start, region->offset, &region->bias))) {
        code_store_release(code->store, region->tables);
        region->tables = NULL;
    }
    if (region->tables && !region->build_id[0])
        region->build_id = region->tables->build_id;
}

bool listed_code_bytes(const struct process_code *code, uint64_t address, void *to, size_t size)
{
    size_t const at = process_code_place(code, address);
    const struct code_region *region = at < code->regions.count ? &code->regions.items[at] : NULL;
    if (!region || region->start > address || !region->tables || region->path[0] != '/' ||
        region->end - address < size)
        return false;
    int const fd = elf_file_open("", region->path);
    bool const done =
        fd >= 0 && read_some(fd, region->offset + (address - region->start), to, size) == size;
    if (fd >= 0)
        close(fd);
    return done;
}
