/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pprof/pprof_frames.h"

#include <errno.h>
#include <stdlib.h>

#include "symbols/elf/elf_image.h"
#include "symbols/elf/elf_view.h"

/* ---- the mappings of a profile as modules of a recording ---- */

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

/* Fills frames->module_of and frames->bias for the profile at hand.  A file that is on this
 * machine, and of the same build, is looked into where addresses need it. 0 or -ENOMEM. */
static int find_modules(struct pprof_frames *frames)
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

/* ---- its locations as frames ---- */

#define LINES_MOST 64 /* inlined into each other at one place; further ones are left out */

int pprof_frames_init(struct pprof_frames *frames, struct recording *recording)
{
    *frames = (struct pprof_frames){.recording = recording, .keys = string_table_create()};
    return frames->keys ? 0 : -ENOMEM;
}

void pprof_frames_fini(struct pprof_frames *frames)
{
    pprof_frames_end(frames);
    if (frames->keys)
        string_table_destroy(frames->keys);
    vec_free(&frames->by_key);
    number_map_fini(&frames->modules);
}

void pprof_frames_end(struct pprof_frames *frames)
{
    free(frames->strings);
    free(frames->frames);
    free(frames->dropped);
    free(frames->module_of);
    free(frames->bias);
    frames->strings = frames->frames = frames->dropped = frames->module_of = NULL;
    frames->bias = NULL;
    pprof_drop_fini(&frames->drop);
    frames->profile = NULL;
}

int pprof_frames_begin(struct pprof_frames *frames, const struct pprof_profile *profile)
{
    size_t const locations = profile->locations.count + 1, mappings = profile->mappings.count + 1;
    pprof_frames_end(frames);
    frames->profile = profile;
    frames->strings = calloc(profile->strings.count, sizeof(frames->strings[0]));
    frames->frames = calloc(locations, sizeof(frames->frames[0]));
    frames->dropped = calloc(locations, sizeof(frames->dropped[0]));
    frames->module_of = calloc(mappings, sizeof(frames->module_of[0]));
    frames->bias = calloc(mappings, sizeof(frames->bias[0]));
    if (!frames->strings || !frames->frames || !frames->dropped || !frames->module_of ||
        !frames->bias)
        return -ENOMEM;
    pprof_drop_init(&frames->drop, profile);
    return find_modules(frames);
}

int pprof_frames_string(struct pprof_frames *frames, uint32_t string, string_id *id)
{
    string_id *known = &frames->strings[string];
    if (*known == 0) {
        struct slice text = pprof_text(frames->profile, string);
        if (text.size) /* names end at a NUL, if one has it inside */
            text.size = strnlen(text.data, text.size);
        if (string_table_intern(frames->recording->strings, text, id) < 0)
            return -ENOMEM;
        *known = *id + 1;
    }
    *id = *known - 1;
    return 0;
}

/* What makes two frames the same. */
struct frame_key {
    uint64_t address;
    uint32_t module;
    uint32_t count;
    struct location lines[LINES_MOST];
};

static int make_location(struct pprof_frames *frames, const struct pprof_line *line,
                         struct location *location)
{
    const struct pprof_function *function = &frames->profile->functions.items[line->function - 1];
    location->line = line->line > 0 && line->line < UINT32_MAX ? (uint32_t)line->line : 0;
    return pprof_frames_string(frames, function->name, &location->function) < 0 ||
                   pprof_frames_string(frames, function->system_name, &location->symbol) < 0 ||
                   pprof_frames_string(frames, function->file, &location->file) < 0
               ? -ENOMEM
               : 0;
}

static int make_key(struct pprof_frames *frames, const struct pprof_location *location,
                    uint32_t dropped, struct frame_key *key)
{
    const struct pprof_line *lines = frames->profile->lines.items;
    key->module = location->mapping ? frames->module_of[location->mapping - 1] : MODULE_NONE;
    key->address =
        location->address - (location->mapping ? frames->bias[location->mapping - 1] : 0);
    key->count = 0;
    for (uint32_t i = dropped; i < location->line_count && key->count < LINES_MOST; i++) {
        const struct pprof_line *line = &lines[location->first_line + i];
        struct location *made = &key->lines[key->count];
        *made = (struct location){0};
        if (!line->function)
            continue;
        if (make_location(frames, line, made) < 0)
            return -ENOMEM;
        key->count += made->function != STRING_EMPTY || made->file != STRING_EMPTY;
    }
    return 0;
}

static int add_frame(struct pprof_frames *frames, const struct frame_key *key)
{
    struct recording *recording = frames->recording;
    struct frame const frame = {.module = key->module,
                                .first_location = (uint32_t)recording->locations.count,
                                .location_count = key->count,
                                .address = key->address};
    for (uint32_t i = 0; i < key->count; i++)
        if (!vec_push(&recording->locations, key->lines[i]))
            return -ENOMEM;
    return vec_push(&recording->frames, frame) &&
                   vec_push(&frames->by_key, (uint32_t)recording->frames.count - 1)
               ? 0
               : -ENOMEM;
}

static int find_frame(struct pprof_frames *frames, uint32_t place)
{
    const struct pprof_location *location = &frames->profile->locations.items[place];
    struct frame_key key;
    string_id id;
    memset(&key, 0, sizeof(key)); /* compared as bytes */
    frames->dropped[place] = pprof_drop_lines(&frames->drop, frames->profile, location);
    uint32_t const dropped = frames->dropped[place];
    if (make_key(frames, location, dropped < location->line_count ? dropped : 0, &key) < 0)
        return -ENOMEM;
    struct slice const bytes = {(const char *)&key, offsetof(struct frame_key, lines) +
                                                        key.count * sizeof(key.lines[0])};
    if (string_table_intern(frames->keys, bytes, &id) < 0)
        return -ENOMEM;
    if (id > frames->by_key.count && add_frame(frames, &key) < 0)
        return -ENOMEM;
    frames->frames[place] = frames->by_key.items[id - 1] + 1;
    frames->all++;
    frames->unnamed += key.count == 0;
    return 0;
}

/* How many of the innermost locations of a sample are not shown at all.  Outermost ones that
 * match stay: nothing would be left. */
static uint32_t hidden_locations(const struct pprof_frames *frames, const uint32_t *places,
                                 uint32_t count)
{
    bool found_other = false;
    if (!frames->drop.drop)
        return 0;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t const dropped = frames->dropped[places[i]];
        if (!dropped)
            found_other = true;
        else if (found_other)
            return dropped == frames->profile->locations.items[places[i]].line_count ? i + 1 : i;
    }
    return 0;
}

int pprof_frames_stack(struct pprof_frames *frames, const struct pprof_sample *sample,
                       stack_id outer, stack_id *stack)
{
    *stack = outer;
    if (sample->location_count == 0)
        return 0;
    const uint32_t *places = frames->profile->stacks.items + sample->first_location;
    for (uint32_t i = 0; i < sample->location_count; i++)
        if (!frames->frames[places[i]] && find_frame(frames, places[i]) < 0)
            return -ENOMEM;
    uint32_t const hidden = hidden_locations(frames, places, sample->location_count);
    for (uint32_t i = sample->location_count; i-- > hidden;)
        if (stack_table_push(frames->recording->stacks, *stack, frames->frames[places[i]] - 1,
                             stack) < 0)
            return -ENOMEM;
    return 0;
}
