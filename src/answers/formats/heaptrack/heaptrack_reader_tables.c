/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/heaptrack/heaptrack_reader_tables.h"

#include <errno.h>
#include <string.h>

#include "analyze/trees/shown_frame.h"
#include "formats/heaptrack/heaptrack_format.h"

#define LOCATIONS_MAX 256 /* inlined into each other at one place */

void heaptrack_tables_fini(struct heaptrack_tables *tables)
{
    vec_free(&tables->strings);
    vec_free(&tables->modules);
    vec_free(&tables->traces);
    vec_free(&tables->infos);
    vec_free(&tables->site_is_cut);
}

int heaptrack_add_string(struct heaptrack_tables *tables, struct slice text)
{
    string_id id;
    tables->string_bytes += text.size;
    if (tables->strings.count >= HEAPTRACK_STRINGS_MAX ||
        tables->string_bytes > HEAPTRACK_STRING_BYTES_MAX)
        return -E2BIG;
    if (string_table_intern(tables->recording->strings, text, &id) < 0 ||
        !vec_push(&tables->modules, 0) || !vec_push(&tables->strings, id))
        return -ENOMEM;
    return 0;
}

/* Number 0 is no string. */
static bool parse_string(struct heaptrack_tables *tables, struct heaptrack_fields *fields,
                         string_id *id)
{
    uint64_t number;
    if (!heaptrack_parse_number(fields, &number) || number > tables->strings.count)
        return false;
    *id = number ? tables->strings.items[number - 1] : STRING_EMPTY;
    return true;
}

static int parse_module(struct heaptrack_tables *tables, struct heaptrack_fields *fields,
                        uint32_t *module)
{
    struct recording *recording = tables->recording;
    uint64_t number;
    *module = MODULE_NONE;
    if (!heaptrack_parse_number(fields, &number) || number > tables->strings.count)
        return -EINVAL;
    if (number == 0)
        return 0;
    uint32_t *known = &tables->modules.items[number - 1];
    if (*known == 0) {
        if (!vec_push(&recording->modules,
                      (struct module){.path = tables->strings.items[number - 1]}))
            return -ENOMEM;
        *known = (uint32_t)recording->modules.count;
    }
    *module = *known - 1;
    return 0;
}

static int parse_location(struct heaptrack_tables *tables, struct heaptrack_fields *fields)
{
    struct recording *recording = tables->recording;
    struct location location = {0};
    if (!parse_string(tables, fields, &location.function))
        return -EINVAL;
    if (fields->at < fields->end && (!parse_string(tables, fields, &location.file) ||
                                     !heaptrack_parse_number32(fields, &location.line)))
        return -EINVAL;
    return vec_push(&recording->locations, location) ? 0 : -ENOMEM;
}

/* Functions, innermost first; what is missing at the end of the line is unknown. */
static int parse_locations(struct heaptrack_tables *tables, struct heaptrack_fields *fields,
                           struct frame *frame)
{
    size_t const first = tables->recording->locations.count;
    if (first >= UINT32_MAX - LOCATIONS_MAX)
        return -E2BIG;
    frame->first_location = (uint32_t)first;
    while (fields->at < fields->end && frame->location_count < LOCATIONS_MAX) {
        int const err = parse_location(tables, fields);
        if (err < 0)
            return err;
        frame->location_count++;
    }
    return fields->at < fields->end ? -EINVAL : 0;
}

/* The offset in "module+0xoffset", which our own exports write for a frame without a name. */
static bool parse_made_up_name(const struct recording *recording, const struct frame *frame,
                               const char *name, uint64_t *offset)
{
    if (frame->module != MODULE_NONE) {
        const char *module =
            path_basename(recording_text(recording, recording->modules.items[frame->module].path));
        size_t const length = strlen(module);
        if (strncmp(name, module, length) != 0 || name[length] != '+')
            return false;
        name += length + 1;
    }
    if (strncmp(name, "0x", 2) != 0)
        return false;
    name += 2;
    return heaptrack_number(&name, offset) && *name == '\0';
}

static void undo_made_up_name(struct recording *recording, struct frame *frame)
{
    uint64_t offset;
    if (frame->location_count == 0)
        return;
    struct location *location =
        &recording->locations.items[frame->first_location + frame->location_count - 1];
    if (!parse_made_up_name(recording, frame, recording_text(recording, location->function),
                            &offset))
        return;
    frame->address = offset;
    location->function = STRING_EMPTY;
    if (location->file == STRING_EMPTY && frame->location_count == 1)
        frame->location_count = 0;
}

static int parse_frame(struct heaptrack_tables *tables, struct heaptrack_fields *fields,
                       struct frame *frame)
{
    if (!heaptrack_parse_number(fields, &frame->address))
        return -EINVAL;
    int const err = parse_module(tables, fields, &frame->module);
    return err < 0 ? err : parse_locations(tables, fields, frame);
}

int heaptrack_add_place(struct heaptrack_tables *tables, struct heaptrack_fields *fields)
{
    struct recording *recording = tables->recording;
    struct frame frame = {.module = MODULE_NONE};
    if (recording->frames.count >= HEAPTRACK_PLACES_MAX)
        return -E2BIG;
    int const err = parse_frame(tables, fields, &frame);
    if (err < 0 && err != -EINVAL)
        return err;
    undo_made_up_name(recording, &frame);
    return vec_push(&recording->frames, frame) ? err : -ENOMEM;
}

int heaptrack_add_trace(struct heaptrack_tables *tables, uint32_t frame, uint64_t caller)
{
    struct heaptrack_trace_row row = {.stack = STACK_EMPTY};
    if (tables->traces.count >= HEAPTRACK_TRACES_MAX)
        return -E2BIG;
    bool const known = caller <= tables->traces.count; /* so there are no cycles */
    if (known && caller > 0)
        row = tables->traces.items[caller - 1];
    if (frame != HEAPTRACK_NO_FRAME) {
        int err = stack_table_push(tables->recording->stacks, row.stack, frame, &row.stack);
        if (err < 0)
            return err;
        row.depth++;
    }
    if (!vec_push(&tables->traces, row))
        return -ENOMEM;
    return known ? 0 : -EINVAL;
}

int heaptrack_add_named_trace(struct heaptrack_tables *tables, struct heaptrack_fields *fields)
{
    uint64_t place = 0, caller = 0;
    bool fine = heaptrack_parse_number(fields, &place) && heaptrack_parse_number(fields, &caller) &&
                place <= tables->recording->frames.count;
    if (!fine)
        place = 0;
    uint32_t frame = place ? (uint32_t)place - 1 : HEAPTRACK_NO_FRAME;
    int err = heaptrack_add_trace(tables, frame, caller);
    return err == 0 && !fine ? -EINVAL : err;
}

int heaptrack_site(struct heaptrack_tables *tables, uint64_t trace, uint32_t *site)
{
    bool const known = trace <= tables->traces.count;
    struct heaptrack_trace_row row = {.stack = STACK_EMPTY};
    if (known && trace > 0)
        row = tables->traces.items[trace - 1];
    if (heap_ledger_site(tables->ledger, row.stack, site) < 0)
        return -ENOMEM;
    if (*site == tables->site_is_cut.count &&
        !vec_push(&tables->site_is_cut, row.depth >= HEAPTRACK_FRAMES_MAX))
        return -ENOMEM;
    return known ? 0 : -EINVAL;
}

int heaptrack_add_info(struct heaptrack_tables *tables, struct heaptrack_fields *fields)
{
    struct heaptrack_info_row info = {0};
    uint64_t trace = 0;
    if (tables->infos.count >= HEAPTRACK_INFOS_MAX)
        return -E2BIG;
    bool fine =
        heaptrack_parse_number(fields, &info.size) && heaptrack_parse_number(fields, &trace);
    if (info.size > HEAPTRACK_SIZE_MAX) {
        info.size = 0;
        fine = false;
    }
    int err = heaptrack_site(tables, trace, &info.site);
    if (err == -ENOMEM || !vec_push(&tables->infos, info))
        return -ENOMEM;
    return fine ? err : -EINVAL;
}
