/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/trees/frame_kinds.h"

#include <errno.h>

#include "analyze/trees/shown_frame.h"

/* Frames may share locations, so a small file could have more lines than there is memory. */
#define PLACES_MOST (16u << 20)

void frame_kinds_fini(struct frame_kinds *kinds)
{
    vec_free(&kinds->lines);
    vec_free(&kinds->places);
    vec_free(&kinds->ends);
    vec_free(&kinds->frames);
    vec_free(&kinds->module_paths);
    pair_index_fini(&kinds->modules);
    pair_index_fini(&kinds->functions);
    pair_index_fini(&kinds->spots);
    pair_index_fini(&kinds->line_kinds);
    pair_index_fini(&kinds->whole_lines);
}

static bool is_as_it_was(const struct frame_kinds *kinds, const struct recording *recording)
{
    if (kinds->frames.count > recording->frames.count ||
        kinds->module_paths.count > recording->modules.count)
        return false;
    for (size_t i = 0; i < kinds->module_paths.count; i++)
        if (kinds->module_paths.items[i] != recording->modules.items[i].path)
            return false;
    for (size_t i = 0; i < kinds->frames.count; i++) {
        const struct frame *then = &kinds->frames.items[i], *now = &recording->frames.items[i];
        if (then->module != now->module || then->first_location != now->first_location ||
            then->location_count != now->location_count || then->address != now->address ||
            then->into_function != now->into_function)
            return false;
    }
    return true;
}

/* The number of a line; what is the same in two lines has the same number, from the coarsest to
 * the finest. */
static int number_line(struct frame_kinds *kinds, const struct shown_frame *shown, uint32_t *number)
{
    struct frame_line line = {.shown = *shown, .is_allocator = -1, .is_plumbing = -1};
    uint32_t spot = 0;
    int err = pair_index_find(&kinds->modules, 0, shown->module, &line.kinds[MERGE_MODULE]);
    if (!err)
        err = pair_index_find(&kinds->functions, shown->module, shown->function,
                              &line.kinds[MERGE_FUNCTION]);
    if (!err)
        err = pair_index_find(&kinds->spots, shown->file, shown->line, &spot);
    if (!err)
        err = pair_index_find(&kinds->line_kinds, line.kinds[MERGE_FUNCTION], spot,
                              &line.kinds[MERGE_LINE]);
    if (!err)
        err = pair_index_find(&kinds->whole_lines, line.kinds[MERGE_LINE], shown->inlined, number);
    if (err || *number < kinds->lines.count)
        return err;
    return vec_push(&kinds->lines, line) ? 0 : -ENOMEM;
}

struct frame_room {
    struct shown_frame *items;
    size_t count, room;
};

static int add_frame(struct frame_kinds *kinds, struct recording *recording, uint32_t frame,
                     struct frame_room *room)
{
    size_t const count = frame_show(recording, frame, NULL, 0);
    room->count = 0;
    if (count > PLACES_MOST - kinds->places.count || !vec_reserve(room, count) ||
        !vec_reserve(&kinds->places, count))
        return -ENOMEM;
    frame_show(recording, frame, room->items, count);
    size_t const before = kinds->places.count;
    for (size_t i = 0; i < count; i++) {
        uint32_t number = 0;
        if (number_line(kinds, &room->items[i], &number) < 0) {
            kinds->places.count = before;
            return -ENOMEM;
        }
        vec_push(&kinds->places, number);
    }
    kinds->frames.items[frame] = recording->frames.items[frame];
    kinds->frames.count++;
    vec_push(&kinds->ends, (uint32_t)kinds->places.count);
    return 0;
}

int frame_kinds_extend(struct frame_kinds *kinds, struct recording *recording)
{
    struct frame_room room = {0};
    int err = 0;
    if (!is_as_it_was(kinds, recording))
        return -ESTALE;
    if (!vec_reserve(&kinds->frames, recording->frames.count - kinds->frames.count) ||
        !vec_reserve(&kinds->ends, recording->frames.count - kinds->frames.count) ||
        !vec_reserve(&kinds->module_paths, recording->modules.count - kinds->module_paths.count))
        return -ENOMEM;
    for (size_t i = kinds->module_paths.count; i < recording->modules.count; i++)
        vec_push(&kinds->module_paths, recording->modules.items[i].path);
    for (size_t i = kinds->frames.count; i < recording->frames.count && !err; i++)
        err = add_frame(kinds, recording, (uint32_t)i, &room);
    vec_free(&room);
    return err;
}

uint32_t frame_kinds_count(const struct frame_kinds *kinds, enum tree_merge merge)
{
    const struct pair_index *index = merge == MERGE_MODULE     ? &kinds->modules
                                     : merge == MERGE_FUNCTION ? &kinds->functions
                                                               : &kinds->line_kinds;
    return (uint32_t)index->pairs.count;
}

struct frame_lines frame_kinds_lines(const struct frame_kinds *kinds, uint32_t frame)
{
    if (frame >= kinds->ends.count)
        return (struct frame_lines){NULL, 0};
    uint32_t const first = frame ? kinds->ends.items[frame - 1] : 0;
    return (struct frame_lines){kinds->places.items + first, kinds->ends.items[frame] - first};
}

bool frame_kinds_is_allocator(struct frame_kinds *kinds, const struct recording *recording,
                              uint32_t line)
{
    struct frame_line *known = &kinds->lines.items[line];
    if (known->is_allocator < 0)
        known->is_allocator = (int8_t)shown_frame_is_allocator(recording, &known->shown);
    return known->is_allocator;
}

stack_id frame_kinds_skip(struct frame_kinds *kinds, const struct recording *recording,
                          stack_id stack, uint32_t *hidden)
{
    for (stack_id at = stack; at != STACK_EMPTY;) {
        struct stack_link const link = stack_table_innermost(recording->stacks, at);
        struct frame_lines const lines = frame_kinds_lines(kinds, link.frame);
        for (*hidden = 0; *hidden < lines.count; ++*hidden)
            if (!frame_kinds_is_allocator(kinds, recording, lines.items[*hidden]))
                return at;
        at = link.caller;
    }
    *hidden = 0;
    return stack;
}
