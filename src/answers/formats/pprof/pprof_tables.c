/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pprof/pprof_tables.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/trees/shown_frame.h"
#include "formats/pprof/pprof_fields.h"

#define LINES_MAX 256

enum mapping_flag { HAS_FUNCTIONS = 1, HAS_FILENAMES = 2, HAS_LINES = 4, HAS_INLINES = 8 };

/* The module of the program itself; the first one when it cannot be told. */
static size_t own_module(const struct recording *recording)
{
    string_id const path = recording_own_path(recording);
    for (size_t i = 0; i < recording->modules.count; i++)
        if (recording->modules.items[i].path == path)
            return i;
    return 0;
}

/* The program's own mapping comes first, by convention; the others keep their order. */
static bool number_mappings(struct pprof_tables *tables)
{
    size_t count = tables->recording->modules.count, own = own_module(tables->recording);
    tables->mapping_ids = calloc(count + 1, sizeof(*tables->mapping_ids));
    tables->mapping_flags = calloc(count + 1, sizeof(*tables->mapping_flags));
    if (!tables->mapping_ids || !tables->mapping_flags)
        return false;
    for (size_t i = 0; i < count; i++)
        tables->mapping_ids[i] = (uint32_t)(i == own ? 1 : i < own ? i + 2 : i + 1);
    return true;
}

void pprof_tables_init(struct pprof_tables *tables, struct recording *recording)
{
    *tables = (struct pprof_tables){.recording = recording,
                                    .strings = string_table_create(),
                                    .functions = string_table_create(),
                                    .locations = string_table_create()};
    tables->failed =
        !tables->strings || !tables->functions || !tables->locations || !number_mappings(tables);
}

void pprof_tables_fini(struct pprof_tables *tables)
{
    string_table_destroy(tables->strings);
    string_table_destroy(tables->functions);
    string_table_destroy(tables->locations);
    protobuf_fini(&tables->functions_out);
    protobuf_fini(&tables->locations_out);
    protobuf_fini(&tables->location);
    protobuf_fini(&tables->line);
    free(tables->mapping_ids);
    free(tables->mapping_flags);
}

/* The number of a key, and whether it is new. */
static uint32_t intern(struct pprof_tables *tables, struct string_table *table, struct slice key,
                       bool *is_new)
{
    uint32_t before = string_table_count(table);
    string_id id = 0;
    if (string_table_intern(table, key, &id) < 0)
        tables->failed = true;
    *is_new = string_table_count(table) > before;
    return id;
}

uint64_t pprof_string(struct pprof_tables *tables, const char *text)
{
    bool is_new;
    return tables->failed ? 0 : intern(tables, tables->strings, slice_of(text), &is_new);
}

static uint64_t function_id(struct pprof_tables *tables, const struct shown_frame *shown,
                            string_id symbol)
{
    const struct recording *recording = tables->recording;
    string_id key[3] = {shown->function, symbol, shown->file};
    bool is_new;
    uint64_t id =
        intern(tables, tables->functions, (struct slice){(const char *)key, sizeof(key)}, &is_new);
    if (!is_new)
        return id;
    protobuf_reset(&tables->line);
    protobuf_uint(&tables->line, FUNCTION_ID, id);
    protobuf_uint(&tables->line, FUNCTION_NAME,
                  pprof_string(tables, recording_text(recording, shown->function)));
    protobuf_uint(
        &tables->line, FUNCTION_SYSTEM_NAME,
        pprof_string(tables, recording_text(recording, symbol ? symbol : shown->function)));
    protobuf_uint(&tables->line, FUNCTION_FILENAME,
                  pprof_string(tables, recording_text(recording, shown->file)));
    protobuf_message(&tables->functions_out, PROFILE_FUNCTION, &tables->line);
    return id;
}

/* The symbol behind the i-th line of a frame; empty for a made-up name. */
static string_id symbol_of(const struct recording *recording, const struct frame *frame, size_t i)
{
    size_t at = (size_t)frame->first_location + i;
    bool known = i < frame->location_count && at < recording->locations.count;
    return known ? recording->locations.items[at].symbol : STRING_EMPTY;
}

static void write_line(struct pprof_tables *tables, const struct shown_frame *shown,
                       string_id symbol)
{
    uint64_t function = function_id(tables, shown, symbol); /* uses the same scratch: first */
    protobuf_reset(&tables->line);
    protobuf_uint(&tables->line, LINE_FUNCTION, function);
    protobuf_uint(&tables->line, LINE_LINE, shown->line);
    protobuf_message(&tables->location, LOCATION_LINE, &tables->line);
}

/* Where the kernel has its code is nobody's business: who knows may attack it. */
static bool is_kernel(const struct pprof_tables *tables, const struct module *module)
{
    return module && strcmp(recording_text(tables->recording, module->path), KERNEL_PATH) == 0;
}

static uint64_t location_address(const struct pprof_tables *tables, const struct frame *frame,
                                 const struct module *module)
{
    if (is_kernel(tables, module))
        return 0;
    if (!tables->hides_addresses)
        return frame->address + (module ? module->bias : 0);
    return module ? frame->address : 0;
}

/* The name of code in no file is its address. */
static void hide_names(struct pprof_tables *tables, struct shown_frame *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(recording_text(tables->recording, lines[i].function), "0x", 2) == 0)
            lines[i].function = recording_intern(tables->recording, "[code in no file]");
}

static void write_location(struct pprof_tables *tables, uint64_t id, uint32_t index,
                           size_t hidden_lines)
{
    struct recording *recording = tables->recording;
    struct shown_frame lines[LINES_MAX];
    size_t count = frame_show(recording, index, lines, LINES_MAX);
    const struct frame *frame = &recording->frames.items[index];
    bool known = frame->module < recording->modules.count;
    const struct module *module = known ? &recording->modules.items[frame->module] : NULL;
    uint8_t flags = HAS_FUNCTIONS;

    if (is_kernel(tables, module) && !frame->location_count)
        lines[0].function = recording_intern(recording, KERNEL_PATH);
    if (tables->hides_addresses && !module)
        hide_names(tables, lines, count < LINES_MAX ? count : LINES_MAX);
    protobuf_reset(&tables->location);
    protobuf_uint(&tables->location, LOCATION_ID, id);
    protobuf_uint(&tables->location, LOCATION_MAPPING,
                  known ? tables->mapping_ids[frame->module] : 0);
    protobuf_uint(&tables->location, LOCATION_ADDRESS, location_address(tables, frame, module));
    for (size_t i = hidden_lines; i < count && i < LINES_MAX; i++) {
        write_line(tables, &lines[i], symbol_of(recording, frame, i));
        flags = (uint8_t)(flags | (lines[i].file ? HAS_FILENAMES : 0) |
                          (lines[i].line ? HAS_LINES : 0) | (lines[i].inlined ? HAS_INLINES : 0));
    }
    if (known)
        tables->mapping_flags[frame->module] |= flags;
    protobuf_message(&tables->locations_out, PROFILE_LOCATION, &tables->location);
}

uint64_t pprof_location(struct pprof_tables *tables, uint32_t frame, size_t hidden_lines)
{
    if (tables->failed || frame >= tables->recording->frames.count)
        return 0;
    uint32_t key[2] = {frame, (uint32_t)hidden_lines};
    bool is_new;
    uint64_t id =
        intern(tables, tables->locations, (struct slice){(const char *)key, sizeof(key)}, &is_new);
    if (is_new)
        write_location(tables, id, frame, hidden_lines);
    return id;
}

static void write_mapping(struct pprof_tables *tables, size_t index, struct protobuf_out *profile)
{
    const struct recording *recording = tables->recording;
    const struct module *module = &recording->modules.items[index];
    uint8_t flags = tables->mapping_flags[index];
    struct protobuf_out *mapping = &tables->line;
    uint64_t const base = tables->hides_addresses ? module->bias : 0;
    protobuf_reset(mapping);
    protobuf_uint(mapping, MAPPING_ID, tables->mapping_ids[index]);
    protobuf_uint(mapping, MAPPING_START, module->start - base);
    protobuf_uint(mapping, MAPPING_LIMIT, module->end - base);
    protobuf_uint(mapping, MAPPING_FILENAME,
                  pprof_string(tables, recording_text(recording, module->path)));
    protobuf_uint(mapping, MAPPING_BUILD_ID,
                  pprof_string(tables, recording_text(recording, module->build_id)));
    protobuf_uint(mapping, MAPPING_HAS_FUNCTIONS, (flags & HAS_FUNCTIONS) != 0);
    protobuf_uint(mapping, MAPPING_HAS_FILENAMES, (flags & HAS_FILENAMES) != 0);
    protobuf_uint(mapping, MAPPING_HAS_LINE_NUMBERS, (flags & HAS_LINES) != 0);
    protobuf_uint(mapping, MAPPING_HAS_INLINE_FRAMES, (flags & HAS_INLINES) != 0);
    protobuf_message(profile, PROFILE_MAPPING, mapping);
}

static void append(struct protobuf_out *profile, const struct protobuf_out *fields)
{
    profile->failed |= fields->failed;
    protobuf_raw(profile, fields->data, fields->size);
}

void pprof_tables_write(struct pprof_tables *tables, struct protobuf_out *profile)
{
    size_t count = tables->recording->modules.count;
    for (uint32_t id = 1; id <= count; id++) /* by id: the program first */
        for (size_t i = 0; i < count; i++)
            if (tables->mapping_ids[i] == id)
                write_mapping(tables, i, profile);
    append(profile, &tables->locations_out);
    append(profile, &tables->functions_out);
    if (tables->failed)
        return;
    for (uint32_t id = 0; id <= string_table_count(tables->strings); id++)
        protobuf_text(profile, PROFILE_STRING, string_table_text(tables->strings, id));
}
