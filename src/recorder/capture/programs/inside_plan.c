/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/programs/inside_plan_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "symbols/allocators/code_move.h"
#include "symbols/elf/elf_image.h"

#define PAGE       4096ull
#define REACH      (3ull << 29) /* of a jump with 32-bit distance, with half a GiB to spare */
#define LOWEST     65536ull     /* below it the kernel maps nothing */
#define FILE_SPACE 65536ull     /* left free between a program and what we put below it */

/* A mapped file with code in it. */
struct code_file {
    struct elf_image image;
    struct elf_view view;
    uint64_t low, high; /* all its mappings */
    uint64_t bias;
    const char *path;
};

/* Bias from the mapping of one of the file's segments. */
static bool find_bias(struct code_file *file, const struct map_region *region)
{
    Elf64_Phdr segment;
    for (uint32_t i = 0; elf_view_segment(&file->view, i, &segment); i++) {
        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) ||
            region->offset / PAGE != segment.p_offset / PAGE)
            continue;
        file->bias = region->start - (segment.p_vaddr & ~(PAGE - 1));
        return true;
    }
    return false;
}

static void measure(const struct map_list *maps, const struct map_region *region,
                    struct code_file *file)
{
    file->low = region->start;
    file->high = region->end;
    vec_each (one, &maps->regions) {
        if (one->inode != region->inode || strcmp(one->name, region->name) != 0)
            continue;
        file->low = one->start < file->low ? one->start : file->low;
        file->high = one->end > file->high ? one->end : file->high;
    }
}

/* The highest start of `bytes` free ones below `high`, past what the plan has taken already; 0
 * when they do not fit above `low`. */
static uint64_t fit(const struct inside_plan *plan, uint64_t low, uint64_t high, uint64_t bytes)
{
    uint64_t start = high - low > bytes + FILE_SPACE ? high - bytes - FILE_SPACE : high - bytes;
    if (high - low < bytes)
        return 0;
    for (uint32_t i = plan->region_count; i-- > 0;) { /* in one gap they were taken downward */
        const struct inside_region *taken = &plan->regions[plan->region_count - 1 - i];
        if (taken->start < start + bytes && start < taken->start + taken->bytes)
            start = taken->start - bytes;
    }
    return start >= low && start < high ? start : 0;
}

/* Space below the file, where neither the heap nor the stack grows; 0 when there is none in
 * reach. */
static uint64_t find_space(const struct planning *planning, const struct code_file *file,
                           uint64_t bytes)
{
    const struct map_list *maps = &planning->maps;
    for (size_t i = maps->regions.count; i-- > 0;) {
        uint64_t high = maps->regions.items[i].start;
        uint64_t low = i > 0 ? maps->regions.items[i - 1].end : LOWEST;
        if (high > file->low || high <= low)
            continue;
        if (file->high - high > REACH)
            return 0;
        uint64_t start = fit(planning->plan, low, high, bytes);
        if (start)
            return start;
    }
    return 0;
}

static bool add_region(struct inside_plan *plan, uint64_t start, uint64_t bytes)
{
    if (start == 0 || plan->region_count == INSIDE_REGIONS)
        return false;
    plan->regions[plan->region_count++] = (struct inside_region){start, bytes};
    return true;
}

static struct slice code_of(const struct code_file *file, uint64_t address, uint64_t size)
{
    struct slice code = elf_view_at(&file->view, address);
    if (code.size > size)
        code.size = size;
    return code;
}

/* Whether a part of some function that compilers keep apart leads into the bytes that move. */
static bool is_reached(const struct code_file *file, const struct allocator_family *family,
                       const struct allocator_entry *entry, size_t stolen)
{
    vec_each (cold, &family->cold) {
        if (code_branches_between(code_of(file, cold->address, cold->size), cold->address,
                                  entry->address, entry->address + stolen))
            return true;
    }
    return false;
}

/* NULL, or why the function is not hooked. */
static const char *plan_entry(struct inside_patch *patch, const struct code_file *file,
                              const struct allocator_family *family,
                              const struct allocator_entry *entry)
{
    struct code_function function = {code_of(file, entry->address, entry->room), entry->size,
                                     file->bias + entry->address};
    struct code_moved moved;
    const char *why = NULL;
    if (entry->disputed)
        return "it is two functions in one";
    if (code_move(&function, patch->cell + INSIDE_CODE_AT, &moved, &why) < 0)
        return why;
    if (is_reached(file, family, entry, moved.stolen))
        return "other code leads into its beginning";
    if (moved.stolen > sizeof(patch->before) || moved.stolen > function.code.size)
        return "its beginning is too long";
    patch->address = function.address;
    patch->usable = entry->usable ? file->bias + entry->usable : 0;
    patch->shape = entry->shape;
    patch->usable_rule = entry->usable_rule;
    patch->stolen = (uint8_t)moved.stolen;
    patch->code_size = (uint8_t)moved.size;
    patch->pushes = moved.pushes;
    memcpy(patch->before, function.code.data, moved.stolen);
    memcpy(patch->code, moved.bytes, moved.size);
    return NULL;
}

/* A function that leads to another one of the allocator is seen through that. */
static bool leads_on(const struct code_file *file, const struct allocator_family *family,
                     const struct allocator_entry *entry)
{
    struct slice code = code_of(file, entry->address, entry->size);
    vec_each (other, &family->entries) {
        if (other != entry &&
            code_branches_between(code, entry->address, other->address - 1, other->address + 1))
            return true;
    }
    return false;
}

static void plan_family(struct planning *planning, const struct code_file *file,
                        const struct allocator_family *family, struct inside_finding *finding)
{
    struct inside_plan *plan = planning->plan;
    uint64_t cell = plan->regions[plan->region_count - 1].start + INSIDE_CELL; /* after its sign */
    finding->first_patch = plan->patch_count;
    vec_each (entry, &family->entries) {
        struct inside_patch *patch = &plan->patches[plan->patch_count];
        if (plan->patch_count == INSIDE_PATCHES)
            break;
        memset(patch, 0, sizeof(*patch));
        patch->cell = cell;
        const char *why = plan_entry(patch, file, family, entry);
        if (!why) {
            plan->patch_count++;
            cell += INSIDE_CELL;
        } else if (!leads_on(file, family, entry) && finding->refused++ == 0) {
            snprintf(finding->refusal, sizeof(finding->refusal), "%.*s: %s",
                     (int)(entry->name.size < 64 ? entry->name.size : 64), entry->name.data, why);
        }
    }
    finding->patch_count = plan->patch_count - finding->first_patch;
}

static struct inside_finding *add_finding(struct planning *planning, const struct code_file *file,
                                          const struct allocator_family *family)
{
    struct inside_report *report = planning->report;
    if (report->count == INSIDE_FINDINGS)
        return NULL;
    struct inside_finding *finding = &report->findings[report->count++];
    const char *slash = strrchr(file->path, '/');
    snprintf(finding->family, sizeof(finding->family), "%s", family->name);
    snprintf(finding->prefix, sizeof(finding->prefix), "%s", family->prefix);
    finding->in_executable = strcmp(file->path, planning->executable) == 0;
    snprintf(finding->module, sizeof(finding->module), "%.63s", slash ? slash + 1 : file->path);
    return finding;
}

static int plan_family_of(struct planning *planning, const struct code_file *file, bool *has_one)
{
    struct allocator_family family;
    int const err = allocator_family_find(&family, &file->view, planning->wanted);
    *has_one = err == 0 && family.name;
    if (!*has_one)
        return err;
    struct inside_finding *finding = add_finding(planning, file, &family);
    uint64_t bytes = ((1 + family.entries.count) * INSIDE_CELL + PAGE - 1) & ~(PAGE - 1);
    uint64_t start = find_space(planning, file, bytes);
    if (planning->wanted && strcmp(family.prefix, planning->wanted) == 0)
        planning->report->has_wanted = true;
    if (finding && add_region(planning->plan, start, bytes)) {
        plan_family(planning, file, &family, finding);
    } else if (finding) {
        finding->refused = (uint32_t)family.entries.count;
        snprintf(finding->refusal, sizeof(finding->refusal), "there is no room near its code");
    }
    allocator_family_free(&family);
    return 0;
}

enum planned inside_plan_file(struct planning *planning, const struct map_region *region, int fd)
{
    struct code_file file = {.path = region->name};
    bool has_one = false;
    if (elf_image_take(&file.image, fd) != 0)
        return PLANNED_OTHER;
    measure(&planning->maps, region, &file);
    int err = 0;
    bool const is_code =
        elf_view_init(&file.view, file.image.bytes) == 0 && find_bias(&file, region);
    if (is_code)
        err = plan_family_of(planning, &file, &has_one);
    elf_image_close(&file.image);
    return err < 0 ? PLANNED_FAILED : !is_code || has_one ? PLANNED_OTHER : PLANNED_FRUITLESS;
}
