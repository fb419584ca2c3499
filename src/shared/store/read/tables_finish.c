/* SPDX-License-Identifier: Apache-2.0 */
/* tables_finish.c - after the last chunk: no index points outside its table, whatever was lost. */
#include "store/chunks/tables.h"

#include <errno.h>

#include "base/invariant.h"

static void keep_known(string_id *id, uint32_t strings)
{
    if (*id > strings)
        *id = STRING_EMPTY;
}

static void check_texts(struct recording *recording)
{
    uint32_t strings = string_table_count(recording->strings);
    keep_known(&recording->program, strings);
    keep_known(&recording->command_line, strings);
    keep_known(&recording->host, strings);
    keep_known(&recording->source, strings);
    vec_each (module, &recording->modules) {
        keep_known(&module->path, strings);
        keep_known(&module->build_id, strings);
    }
    vec_each (location, &recording->locations) {
        keep_known(&location->function, strings);
        keep_known(&location->symbol, strings);
        keep_known(&location->file, strings);
    }
    vec_each (thread, &recording->threads) {
        keep_known(&thread->name, strings);
        if (thread->merged == 0)
            thread->merged = 1; /* a row that was lost */
    }
    for (size_t i = 0; i < recording->marks.count; i++)
        keep_known(&recording->marks.items[i].label, strings);
    vec_each (trait, &recording->traits)
        keep_known(&trait->where, strings);
    vec_each (mapping, &recording->mappings.items)
        keep_known(&mapping->name, strings);
    vec_each (pin, &recording->pins)
        keep_known(&pin->label, strings);
    size_t kept = 0;
    vec_each (note, &recording->notes)
        if (*note <= strings && *note != STRING_EMPTY)
            recording->notes.items[kept++] = *note;
    recording->notes.count = kept;
}

static void check_frames(struct recording *recording)
{
    vec_each (frame, &recording->frames) {
        if (frame->module >= recording->modules.count)
            frame->module = MODULE_NONE;
        uint64_t end = (uint64_t)frame->first_location + frame->location_count;
        if (end > recording->locations.count)
            frame->first_location = frame->location_count = 0;
    }
}

/* Links whose frame was lost all show one frame of which nothing is known. */
static int unknown_frame(struct recording *recording, uint32_t *unknown)
{
    if (*unknown != FRAME_UNKNOWN)
        return 0;
    if (!vec_push(&recording->frames, (struct frame){.module = MODULE_NONE}))
        return -ENOMEM;
    *unknown = (uint32_t)(recording->frames.count - 1);
    INVARIANT(*unknown < recording->frames.count);
    return 0;
}

int tables_finish(struct table_builder *builder)
{
    struct recording *recording = builder->recording;
    size_t frames = recording->frames.count;
    uint32_t unknown = FRAME_UNKNOWN;
    uint32_t const stacks = stack_table_count(recording->stacks);
    INVARIANT(builder->linked <= stacks);
    check_texts(recording);
    check_frames(recording);
    struct stack_link *links =
        builder->linked < stacks
            ? stack_table_from(recording->stacks, (stack_id)builder->linked + 1) - builder->linked
            : NULL;
    for (; builder->linked < stacks; builder->linked++) {
        struct stack_link *link = &links[builder->linked];
        if (link->frame < frames)
            continue;
        if (unknown_frame(recording, &unknown) < 0)
            return -ENOMEM;
        link->frame = unknown;
    }
    vec_each (mapping, &recording->mappings.items)
        if (mapping->stack > stacks)
            mapping->stack = STACK_EMPTY;
    return 0;
}
