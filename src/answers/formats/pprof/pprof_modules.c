/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pprof/pprof_modules.h"

#include <errno.h>

#include "symbols/elf/elf_image.h"
#include "symbols/elf/elf_view.h"

#define FIXED_LIMIT (UINT64_C(1) << 32) /* programs below were not moved when they were loaded */

/* Where the file's addresses begin, by its own headers: false when it is not here, of another
 * build, or maps nothing there. */
static bool bias_of_file(const char *path, const char *build_id,
                         const struct pprof_mapping *mapping, uint64_t *bias)
{
    struct elf_image image;
    struct elf_view view;
    char found[ELF_BUILD_ID_HEX] = "";
    Elf64_Phdr segment;
    bool is_there = false;
    if (path[0] != '/' || elf_image_open(&image, "", path) < 0)
        return false;
    if (elf_view_init(&view, image.bytes) == 0) {
        elf_view_build_id(&view, found);
        bool const is_same = build_id[0] == '\0' || strcmp(build_id, found) == 0;
        for (uint32_t i = 0; is_same && !is_there && elf_view_segment(&view, i, &segment); i++) {
            uint64_t const begin = segment.p_offset & ~UINT64_C(4095);
            is_there = segment.p_type == PT_LOAD && mapping->offset >= begin &&
                       mapping->offset < segment.p_offset + segment.p_filesz;
            *bias = mapping->start - (segment.p_vaddr + mapping->offset - segment.p_offset);
        }
    }
    elf_image_close(&image);
    return is_there;
}

static uint64_t likely_bias(const struct pprof_mapping *mapping)
{
    return mapping->start < FIXED_LIMIT || mapping->offset > mapping->start
               ? 0
               : mapping->start - mapping->offset;
}

/* One of a path and a build id is the same wherever it was mapped. */
static int find_module(struct pprof_frames *frames, size_t index, bool looks_inside)
{
    struct recording *recording = frames->recording;
    const struct pprof_mapping *mapping = &frames->profile->mappings.items[index];
    string_id path, build_id;
    if (pprof_frames_string(frames, mapping->file, &path) < 0 ||
        pprof_frames_string(frames, mapping->build_id, &build_id) < 0)
        return -ENOMEM;
    uint64_t bias = likely_bias(mapping);
    if (looks_inside)
        bias_of_file(recording_text(recording, path), recording_text(recording, build_id), mapping,
                     &bias);
    uint32_t *known = number_map_at(&frames->modules, ((uint64_t)path << 32 | build_id) + 1);
    if (!known)
        return -ENOMEM;
    if (*known == 0) {
        struct module const module = {.path = path,
                                      .build_id = build_id,
                                      .start = mapping->start,
                                      .end = mapping->limit,
                                      .bias = bias};
        if (!vec_push(&recording->modules, module))
            return -ENOMEM;
        *known = (uint32_t)recording->modules.count;
    }
    frames->module_of[index] = *known - 1;
    frames->bias[index] = bias;
    return 0;
}

int pprof_modules_find(struct pprof_frames *frames)
{
    const struct pprof_profile *profile = frames->profile;
    size_t const count = profile->mappings.count;
    bool *is_unnamed = calloc(count + 1, sizeof(*is_unnamed));
    int err = is_unnamed ? 0 : -ENOMEM;
    for (size_t i = 0; err == 0 && i < profile->locations.count; i++)
        if (profile->locations.items[i].line_count == 0)
            is_unnamed[profile->locations.items[i].mapping] = true;
    for (size_t i = 0; err == 0 && i < count; i++)
        err = find_module(frames, i, is_unnamed[i + 1]);
    free(is_unnamed);
    return err;
}
