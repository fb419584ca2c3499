/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/heaptrack/heaptrack_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/shown_frame.h"
#include "formats/shared/asking_stack.h"
#include "formats/heaptrack/heaptrack_format.h"

#define FRAME_LINES_MAX 64

int heaptrack_names_init(struct heaptrack_names *names, struct recording *recording,
                         struct output *out)
{
    *names = (struct heaptrack_names){.recording = recording, .out = out};
    names->string_limit = (size_t)string_table_count(recording->strings) + 1;
    names->string_index = calloc(names->string_limit, sizeof(uint32_t));
    names->place_index = calloc(recording->frames.count + 1, sizeof(uint32_t));
    names->trace_index = calloc((size_t)stack_table_count(recording->stacks) + 1, sizeof(uint32_t));
    return names->string_index && names->place_index && names->trace_index ? 0 : -ENOMEM;
}

void heaptrack_names_fini(struct heaptrack_names *names)
{
    free(names->string_index);
    free(names->place_index);
    free(names->trace_index);
}

/* Records are lines, so a line break inside a name becomes a blank. */
static void write_sized(struct output *out, const char *text)
{
    size_t size = strlen(text);
    output_hex(out, size);
    output_char(out, ' ');
    for (size_t i = 0; i < size; i++)
        output_char(out, text[i] == '\n' || text[i] == '\r' ? ' ' : text[i]);
}

static uint32_t write_text(struct heaptrack_names *names, const char *text)
{
    output_char(names->out, HEAPTRACK_STRING);
    output_char(names->out, ' ');
    write_sized(names->out, text);
    output_char(names->out, '\n');
    return ++names->strings;
}

static uint32_t write_string(struct heaptrack_names *names, string_id id)
{
    if (id == STRING_EMPTY || id >= names->string_limit)
        return 0;
    if (names->string_index[id] == 0)
        names->string_index[id] = write_text(names, recording_text(names->recording, id));
    return names->string_index[id];
}

static void write_field(struct heaptrack_names *names, uint64_t value)
{
    output_char(names->out, ' ');
    output_hex(names->out, value);
}

/* Our own list of what the frame shows, so that heaptrack's names are those of every report. */
static const struct location *frame_locations(const struct recording *recording,
                                              const struct frame *frame, size_t *count)
{
    size_t known = recording->locations.count;
    size_t first = frame->first_location < known ? frame->first_location : known;
    *count = frame->location_count < known - first ? frame->location_count : known - first;
    return recording->locations.items + first;
}

/* The function of a frame that has none: "module+0xoffset", as in every report. */
static uint32_t write_made_up(struct heaptrack_names *names, uint32_t index, size_t line)
{
    struct shown_frame lines[FRAME_LINES_MAX];
    if (line >= FRAME_LINES_MAX ||
        frame_show(names->recording, index, lines, FRAME_LINES_MAX) <= line)
        return 0;
    return write_text(names, recording_text(names->recording, lines[line].function));
}

/* One `i` line; the first `hidden` inlined functions of the frame belong to the allocator. */
static uint32_t write_place(struct heaptrack_names *names, uint32_t index, size_t hidden)
{
    const struct recording *recording = names->recording;
    const struct frame *frame = &recording->frames.items[index];
    const struct module *module =
        frame->module < recording->modules.count ? &recording->modules.items[frame->module] : NULL;
    size_t count;
    const struct location *locations = frame_locations(recording, frame, &count);
    for (size_t i = hidden; i < count; i++) { /* strings first: lines cannot nest */
        write_string(names, locations[i].function);
        write_string(names, locations[i].file);
    }
    uint32_t path = module ? write_string(names, module->path) : 0, made_up = 0;
    if (count == 0 || locations[count - 1].function == STRING_EMPTY)
        made_up = write_made_up(names, index, count ? count - 1 : 0);

    output_char(names->out, HEAPTRACK_PLACE);
    write_field(names, frame->address + (module ? module->bias : 0));
    write_field(names, path);
    if (count == 0)
        write_field(names, made_up);
    for (size_t i = hidden; i < count; i++) {
        uint32_t function = write_string(names, locations[i].function);
        write_field(names, function == 0 && i + 1 == count ? made_up : function);
        if (locations[i].file == STRING_EMPTY && i + 1 == count)
            break; /* trailing unknowns are left out */
        write_field(names, write_string(names, locations[i].file));
        write_field(names, locations[i].line);
    }
    output_char(names->out, '\n');
    return ++names->places;
}

static uint32_t place_of(struct heaptrack_names *names, uint32_t frame)
{
    if (frame >= names->recording->frames.count)
        return 0;
    if (names->place_index[frame] == 0)
        names->place_index[frame] = write_place(names, frame, 0);
    return names->place_index[frame];
}

static uint32_t write_trace(struct heaptrack_names *names, uint32_t place, uint32_t parent)
{
    output_char(names->out, HEAPTRACK_TRACE);
    write_field(names, place);
    write_field(names, parent);
    output_char(names->out, '\n');
    return ++names->traces;
}

/* The trace of `stack` with every line of it, its callers written before it. */
static int caller_trace(struct heaptrack_names *names, stack_id stack, uint32_t *trace)
{
    const struct stack_table *stacks = names->recording->stacks;
    VEC(stack_id) missing = {0};
    bool fine = true;
    stack_id at = stack;
    for (; fine && at != STACK_EMPTY && names->trace_index[at] == 0;
         at = stack_table_innermost(stacks, at).caller)
        fine = vec_push(&missing, at);
    *trace = names->trace_index[at]; /* 0 for the empty stack */
    while (fine && missing.count > 0) {
        at = missing.items[--missing.count];
        uint32_t place = place_of(names, stack_table_innermost(stacks, at).frame);
        *trace = names->trace_index[at] = write_trace(names, place, *trace);
    }
    vec_free(&missing);
    return fine ? 0 : -ENOMEM;
}

int heaptrack_trace(struct heaptrack_names *names, stack_id stack, uint32_t *trace)
{
    struct asking_stack asking = asking_stack(names->recording, stack);
    if (asking.hidden_lines == 0)
        return caller_trace(names, asking.stack, trace);

    struct stack_link link = stack_table_innermost(names->recording->stacks, asking.stack);
    uint32_t parent;
    int err = caller_trace(names, link.caller, &parent);
    if (err == 0)
        *trace = write_trace(names, write_place(names, link.frame, asking.hidden_lines), parent);
    return err;
}
