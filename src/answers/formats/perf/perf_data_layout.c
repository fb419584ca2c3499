/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/perf/perf_data_layout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/elf/elf_image.h"
#include "symbols/elf/elf_view.h"
#include "symbols/lookup/kernel_names.h"
#include "symbols/lookup/perf_map.h"

#define PAGE           UINT64_C(4096)
#define ELSEWHERE      UINT64_C(0x600000000000) /* modules without a place of their own */
#define ELSEWHERE_STEP (UINT64_C(1) << 32)
#define PID_DIGITS     10u
#define PROCESSES_MAX  65536u

void perf_layout_fini(struct perf_layout *layout)
{
    vec_free(&layout->modules);
    vec_free(&layout->processes);
    number_map_fini(&layout->roots);
}

static const char *name_of(const struct recording *recording, const struct frame *frame)
{
    return frame->location_count
               ? recording_text(recording,
                                recording->locations.items[frame->first_location].function)
               : "";
}

bool perf_layout_is_name(const struct perf_layout *layout, uint32_t frame)
{
    const struct frame *found = &layout->recording->frames.items[frame];
    return found->module == MODULE_NONE && found->location_count > 0;
}

/* "NAME PID": where the blank is; NULL when it is none. */
static const char *find_pid(const char *name)
{
    const char *blank = strrchr(name, ' ');
    if (!blank || blank == name)
        return NULL;
    size_t const digits = strspn(blank + 1, "0123456789");
    return digits > 0 && digits <= PID_DIGITS && blank[1 + digits] == '\0' ? blank : NULL;
}

static int add_root(struct perf_layout *layout, uint32_t frame, struct recording *texts)
{
    const struct recording *recording = layout->recording;
    const char *name = name_of(recording, &recording->frames.items[frame]);
    const char *blank = find_pid(name);
    struct layout_process made = {0};
    if (!blank || layout->processes.count >= PROCESSES_MAX)
        return 0;
    made.pid = (uint32_t)strtoul(blank + 1, NULL, 10);
    (void)string_table_intern(texts->strings, (struct slice){name, (size_t)(blank - name)},
                              &made.name);
    uint32_t *known = number_map_at(&layout->roots, (uint64_t)frame + 1);
    if (!known || (*known == 0 && !vec_push(&layout->processes, made)))
        return -ENOMEM;
    if (*known == 0)
        *known = (uint32_t)layout->processes.count;
    return 0;
}

static int find_processes(struct perf_layout *layout)
{
    const struct recording *recording = layout->recording;
    struct recording *texts = (struct recording *)recording; /* a name more in its table */
    struct layout_process const itself = {recording->pid ? recording->pid : 1, recording->program};
    if (!vec_push(&layout->processes, itself))
        return -ENOMEM;
    for (stack_id id = 1; id <= stack_table_count(recording->stacks); id++) {
        struct stack_link const link = stack_table_innermost(recording->stacks, id);
        if (link.caller == STACK_EMPTY && perf_layout_is_name(layout, link.frame) &&
            add_root(layout, link.frame, texts) < 0)
            return -ENOMEM;
    }
    return 0;
}

static void find_bounds(struct perf_layout *layout)
{
    vec_each (frame, &layout->recording->frames) {
        if (frame->module >= layout->modules.count)
            continue;
        struct layout_module *module = &layout->modules.items[frame->module];
        if (!module->is_used || frame->address < module->low)
            module->low = frame->address;
        if (!module->is_used || frame->address > module->high)
            module->high = frame->address;
        module->is_used = true;
    }
}

/* Where the file has its code, if it is here and the one that ran. */
static void read_segments(const char *path, const char *build_id, struct layout_module *module)
{
    struct elf_image image;
    struct elf_view view;
    char found[ELF_BUILD_ID_HEX];
    Elf64_Phdr segment;
    if (path[0] != '/' || elf_image_open(&image, "", path) < 0)
        return;
    if (elf_view_init(&view, image.bytes) == 0) {
        elf_view_build_id(&view, found);
        for (uint32_t i = 0;
             (!*build_id || strcmp(found, build_id) == 0) &&
             module->segment_count < LAYOUT_SEGMENTS_MAX && elf_view_segment(&view, i, &segment);
             i++) {
            if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
                continue;
            uint64_t const skew = segment.p_vaddr % PAGE;
            module->segments[module->segment_count++] = (struct layout_segment){
                segment.p_vaddr - skew, (segment.p_memsz + skew + PAGE - 1) / PAGE * PAGE,
                segment.p_offset - skew};
        }
    }
    elf_image_close(&image);
}

/* Whether the place is occupied by a module before it. */
static bool is_occupied(const struct perf_layout *layout, size_t index)
{
    const struct module *modules = layout->recording->modules.items, *mine = &modules[index];
    for (size_t i = 0; i < index; i++)
        if (layout->modules.items[i].is_used && modules[i].end > mine->start &&
            modules[i].start < mine->end)
            return true;
    return false;
}

static void place_module(struct perf_layout *layout, size_t index)
{
    const struct recording *recording = layout->recording;
    const struct module *from = &recording->modules.items[index];
    struct layout_module *module = &layout->modules.items[index];
    const char *path = recording_text(recording, from->path);
    module->is_kernel = strcmp(path, KERNEL_PATH) == 0;
    module->is_made = perf_map_is_path(path);
    if (module->is_kernel || !module->is_used)
        return;
    module->shift = from->bias;
    if (!module->is_made && (from->end <= from->start || is_occupied(layout, index)))
        module->shift = ELSEWHERE + ELSEWHERE_STEP * index;
    if (!module->is_made)
        read_segments(path, recording_text(recording, from->build_id), module);
    if (module->segment_count == 0) {
        uint64_t const low = module->low / PAGE * PAGE;
        module->segments[module->segment_count++] =
            (struct layout_segment){low, (module->high - low) / PAGE * PAGE + PAGE, low};
    }
    for (uint32_t i = 0; i < module->segment_count; i++)
        module->segments[i].address += module->shift;
}

/* A frame inside the kernel that has a name; NULL when there is none. */
static const struct frame *named_kernel_frame(const struct perf_layout *layout)
{
    for (uint32_t i = 0; i < layout->recording->frames.count; i++)
        if (perf_layout_is_kernel(layout, i) &&
            layout->recording->frames.items[i].location_count > 0)
            return &layout->recording->frames.items[i];
    return NULL;
}

/* Whether the kernel that runs here calls that address by the same name. */
static bool is_our_kernel(const struct perf_layout *layout)
{
    const struct frame *frame = named_kernel_frame(layout);
    const char *function, *module;
    struct kernel_names *names = frame ? kernel_names_read(NULL) : NULL;
    bool const same = names && kernel_names_find(names, frame->address, &function, &module) &&
                      strcmp(function, name_of(layout->recording, frame)) == 0;
    kernel_names_free(names);
    return same;
}

/* Where its code begins and ends. */
static void find_kernel(struct perf_layout *layout)
{
    char *line = NULL;
    size_t room = 0;
    int const fd = is_our_kernel(layout) ? kernel_names_open() : -1;
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    while (file && !layout->kernel_end && getline(&line, &room, file) > 0) {
        uint64_t const address = strtoull(line, NULL, 16);
        if (strstr(line, " T _text\n"))
            layout->kernel_start = address;
        else if (strstr(line, " T _etext\n"))
            layout->kernel_end = address;
    }
    free(line);
    if (file)
        fclose(file);
    if (layout->kernel_end <= layout->kernel_start)
        layout->kernel_start = layout->kernel_end = 0;
}

int perf_layout_init(struct perf_layout *layout, const struct recording *recording)
{
    *layout = (struct perf_layout){.recording = recording};
    if (recording->modules.count && !vec_reserve(&layout->modules, recording->modules.count))
        return -ENOMEM;
    for (size_t i = 0; i < recording->modules.count; i++)
        layout->modules.items[layout->modules.count++] = (struct layout_module){0};
    find_bounds(layout);
    for (size_t i = 0; i < layout->modules.count; i++)
        place_module(layout, i);
    find_kernel(layout);
    return find_processes(layout);
}

uint64_t perf_layout_address(const struct perf_layout *layout, uint32_t frame)
{
    const struct frame *found = &layout->recording->frames.items[frame];
    if (found->module < layout->modules.count)
        return found->address + layout->modules.items[found->module].shift;
    if (found->location_count > 0)
        return LAYOUT_NAMES_BASE + (uint64_t)frame * LAYOUT_NAME_BYTES + LAYOUT_NAME_BYTES / 2;
    return found->address;
}

bool perf_layout_is_kernel(const struct perf_layout *layout, uint32_t frame)
{
    uint32_t const module = layout->recording->frames.items[frame].module;
    return module < layout->modules.count && layout->modules.items[module].is_kernel;
}

uint32_t perf_layout_root(const struct perf_layout *layout, uint32_t frame)
{
    return number_map_get(&layout->roots, (uint64_t)frame + 1);
}
