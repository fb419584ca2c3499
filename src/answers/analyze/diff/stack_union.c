/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff/stack_union.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/shown_frame.h"
#include "analyze/sites/site_key.h"
#include "base/invariant.h"

#define LINES_MAX 256 /* of one frame; the resolver gives at most 64 */

struct uniting {
    struct recording *united;
    struct string_table *keys; /* of functions: key i + 1 has names[i] ... */
    VEC(string_id) names;
    struct string_table *module_keys; /* ... and of modules: module i of `united` */
    struct site_text text;            /* scratch, as is the next */
    VEC(stack_id) climb;
};

/* One side while it is copied; 0 in the maps is "not yet", otherwise one more than the number. */
struct stack_union_source {
    struct recording *recording, *other;
    uint32_t *frames;
    stack_id *stacks;
};

/* The module of the same name, whatever its version and folder: an index, MODULE_NONE when there
 * is no name. */
static int unite_module(struct uniting *uniting, const struct recording *recording, string_id path,
                        uint32_t *index)
{
    const char *text = recording_text(recording, path), *basename = path_basename(text);
    struct slice const key = {basename, site_module_length(basename)};
    string_id id = 0;
    *index = MODULE_NONE;
    if (!*basename)
        return 0;
    if (string_table_intern(uniting->module_keys, key, &id) < 0)
        return -ENOMEM;
    if (id > uniting->united->modules.count) {
        struct module const module = {.path = recording_intern(uniting->united, text)};
        if (!vec_push(&uniting->united->modules, module))
            return -ENOMEM;
    }
    INVARIANT(id <= uniting->united->modules.count);
    *index = id - 1;
    return 0;
}

/* The name of a function that is only an address, of different builds. */
static string_id blurred_name(struct uniting *uniting, const char *module)
{
    char name[300];
    snprintf(name, sizeof(name), "%.200s+?", *module ? module : "0x");
    return recording_intern(uniting->united, name);
}

static int unite_name(struct uniting *uniting, const struct stack_union_source *source,
                      const struct shown_frame *line, string_id *name)
{
    struct site_rule const rule = {.recording = source->recording, .other = source->other};
    const char *module = path_basename(recording_text(source->recording, line->module));
    string_id id = 0;
    uniting->text.size = 0;
    site_key_add(&uniting->text, &rule, line);
    struct slice const key = {uniting->text.data, uniting->text.size};
    if (uniting->text.failed || string_table_intern(uniting->keys, key, &id) < 0)
        return -ENOMEM;
    if (id > uniting->names.count) {
        bool const is_blurred = key.size >= 4 && memcmp(key.data + key.size - 4, "\0+?", 4) == 0;
        string_id const shown =
            is_blurred ? blurred_name(uniting, module)
                       : recording_intern(uniting->united,
                                          recording_text(source->recording, line->function));
        if (!vec_push(&uniting->names, shown))
            return -ENOMEM;
    }
    INVARIANT(id > 0 && id <= uniting->names.count);
    *name = uniting->names.items[id - 1];
    return 0;
}

static int unite_frame(struct uniting *uniting, struct stack_union_source *source, uint32_t index,
                       uint32_t *number)
{
    struct shown_frame lines[LINES_MAX];
    struct recording *united = uniting->united;
    size_t const found = frame_show(source->recording, index, lines, LINES_MAX);
    size_t const count = found < LINES_MAX ? found : LINES_MAX;
    struct frame frame = {.first_location = (uint32_t)united->locations.count,
                          .location_count = (uint32_t)count,
                          .module = MODULE_NONE};
    int err = count ? unite_module(uniting, source->recording, lines[0].module, &frame.module) : 0;
    for (size_t i = 0; i < count && !err; i++) {
        const char *file = recording_text(source->recording, lines[i].file);
        struct location location = {.file = recording_intern(united, file), .line = lines[i].line};
        err = unite_name(uniting, source, &lines[i], &location.function);
        if (!err && !vec_push(&united->locations, location))
            err = -ENOMEM;
    }
    if (!err && !vec_push(&united->frames, frame))
        err = -ENOMEM;
    *number = (uint32_t)united->frames.count;
    return err;
}

/* The stack of `united` that is this one of the source. */
static int unite_stack(struct uniting *uniting, struct stack_union_source *source, stack_id stack,
                       stack_id *copy)
{
    const struct recording *recording = source->recording;
    int err = 0;
    uniting->climb.count = 0;
    for (; stack != STACK_EMPTY && !source->stacks[stack];
         stack = stack_table_innermost(recording->stacks, stack).caller)
        if (!vec_push(&uniting->climb, stack))
            return -ENOMEM;
    *copy = stack == STACK_EMPTY ? STACK_EMPTY : source->stacks[stack];
    while (uniting->climb.count && !err) {
        stack = uniting->climb.items[--uniting->climb.count];
        uint32_t const frame = stack_table_innermost(recording->stacks, stack).frame;
        if (frame >= recording->frames.count)
            continue; /* of a damaged file */
        if (!source->frames[frame])
            err = unite_frame(uniting, source, frame, &source->frames[frame]);
        if (!err)
            err = stack_table_push(uniting->united->stacks, *copy, source->frames[frame] - 1, copy);
        source->stacks[stack] = *copy;
    }
    return err;
}

static int unite_side(struct uniting *uniting, const struct diff_side *side,
                      struct recording *other, struct weights *copy)
{
    struct stack_union_source source = {.recording = side->recording, .other = other};
    stack_id const stacks = stack_table_count(side->recording->stacks);
    *copy = (struct weights){.metric = side->weights->metric,
                             .used = side->weights->used,
                             .total_value = side->weights->total_value,
                             .total_count = side->weights->total_count,
                             .total_spread = side->weights->total_spread};
    source.frames = calloc(side->recording->frames.count + 1, sizeof(source.frames[0]));
    source.stacks = calloc((size_t)stacks + 1, sizeof(source.stacks[0]));
    int err = source.frames && source.stacks ? 0 : -ENOMEM;
    for (size_t i = 0; i < side->weights->rows.count && !err; i++) {
        struct weight row = side->weights->rows.items[i];
        err = unite_stack(uniting, &source, row.key <= stacks ? row.key : STACK_EMPTY, &row.key);
        if (!err && !vec_push(&copy->rows, row))
            err = -ENOMEM;
    }
    free(source.frames);
    free(source.stacks);
    return err;
}

/* What a picture tells about the newer recording. */
static void copy_facts(struct recording *united, const struct recording *newer)
{
    united->program = recording_intern(united, recording_text(newer, newer->program));
    united->source = recording_intern(united, recording_text(newer, newer->source));
    united->pid = newer->pid;
    united->duration_ns = newer->duration_ns;
    united->heap = newer->heap;
    united->quality = newer->quality;
    united->timing = newer->timing;
    united->being_written = newer->being_written;
}

int stack_union_build(struct diff_side before, struct diff_side after, struct stack_union *all)
{
    *all = (struct stack_union){.recording = recording_create()};
    struct uniting uniting = {.united = all->recording,
                              .keys = string_table_create(),
                              .module_keys = string_table_create()};
    int err = all->recording && uniting.keys && uniting.module_keys ? 0 : -ENOMEM;
    if (!err) {
        copy_facts(all->recording, after.recording);
        err = unite_side(&uniting, &after, before.recording, &all->after);
    }
    if (!err)
        err = unite_side(&uniting, &before, after.recording, &all->before);
    string_table_destroy(uniting.keys);
    string_table_destroy(uniting.module_keys);
    free(uniting.text.data);
    vec_free(&uniting.names);
    vec_free(&uniting.climb);
    if (err)
        stack_union_fini(all);
    return err;
}

void stack_union_fini(struct stack_union *all)
{
    weights_fini(&all->before);
    weights_fini(&all->after);
    recording_destroy(all->recording);
    all->recording = NULL;
}
