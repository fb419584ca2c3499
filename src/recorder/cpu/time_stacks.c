/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu/time_stacks.h"

#include <errno.h>
#include <stdlib.h>

#include "base/number_map.h"
#include "symbols/lookup/kernel_names.h"

#define NAMES_MAX 262144u /* addresses that are remembered */

struct kernel_spot {
    uint32_t frame;
    uint8_t kind; /* enum wait_kind */
    bool is_named;
};

struct time_stacks {
    struct station_stacks *walked;
    struct recording *recording; /* of the walked */
    bool without_kernel;
    struct kernel_names *names; /* read when first needed */
    bool has_tried_names;
    uint32_t module;         /* plus one */
    struct number_map index; /* place in `spots` plus one, by address */
    VEC(struct kernel_spot) spots;
    uint32_t kind_frames[WAIT_KINDS]; /* plus one */
    uint32_t hidden_frame, cut_frame, own_frame, too_short_frame;
};

struct time_stacks *time_stacks_create(bool without_kernel)
{
    struct time_stacks *stacks = calloc(1, sizeof(*stacks));
    if (stacks)
        stacks->walked = station_stacks_create();
    if (!stacks || !stacks->walked) {
        free(stacks);
        return NULL;
    }
    stacks->recording = station_stacks_recording(stacks->walked);
    stacks->without_kernel = without_kernel;
    return stacks;
}

void time_stacks_destroy(struct time_stacks *stacks)
{
    if (!stacks)
        return;
    station_stacks_destroy(stacks->walked);
    kernel_names_free(stacks->names);
    number_map_fini(&stacks->index);
    vec_free(&stacks->spots);
    free(stacks);
}

struct recording *time_stacks_recording(const struct time_stacks *stacks)
{
    return stacks->recording;
}

struct station_stacks *time_stacks_walked(const struct time_stacks *stacks)
{
    return stacks->walked;
}

static int push(struct time_stacks *stacks, stack_id *stack, uint32_t frame)
{
    return stack_table_push(stacks->recording->stacks, *stack, frame, stack);
}

/* A frame that is only a name; made once.  0 or -ENOMEM. */
static int name_frame(struct time_stacks *stacks, const char *name, uint32_t *known)
{
    struct recording *recording = stacks->recording;
    stack_id ignored;
    if (*known)
        return 0;
    if (recording_name_stack(recording, recording_intern(recording, name), &ignored) < 0)
        return -ENOMEM;
    *known = (uint32_t)recording->frames.count;
    return 0;
}

int time_stacks_name(struct time_stacks *stacks, stack_id below, const char *name, stack_id *stack)
{
    uint32_t frame = 0;
    *stack = below;
    int const err = name_frame(stacks, name, &frame);
    return err < 0 ? err : push(stacks, stack, frame - 1);
}

int time_stacks_own(struct time_stacks *stacks, const char *name, stack_id *stack)
{
    stack_id own = STACK_EMPTY;
    int err = name_frame(stacks, OWN_CODE_NAME, &stacks->own_frame);
    if (err == 0)
        err = push(stacks, &own, stacks->own_frame - 1);
    return err < 0 ? err : time_stacks_name(stacks, own, name, stack);
}

static int make_frame(struct time_stacks *stacks, uint64_t address, const char *function,
                      uint32_t *index)
{
    struct recording *recording = stacks->recording;
    if (!stacks->module) {
        struct module const module = {.path = recording_intern(recording, KERNEL_PATH)};
        if (!vec_push(&recording->modules, module))
            return -ENOMEM;
        stacks->module = (uint32_t)recording->modules.count;
    }
    struct location const location = {.function = recording_intern(recording, function),
                                      .symbol = recording_intern(recording, function)};
    struct frame const frame = {.module = stacks->module - 1,
                                .address = address,
                                .first_location = (uint32_t)recording->locations.count,
                                .location_count = 1};
    if (!vec_push(&recording->locations, location) || !vec_push(&recording->frames, frame))
        return -ENOMEM;
    *index = (uint32_t)recording->frames.count - 1;
    return 0;
}

/* A new address. */
static int look_up(struct time_stacks *stacks, uint64_t address, struct kernel_spot *spot)
{
    const char *function, *module;
    if (!stacks->has_tried_names)
        stacks->names = kernel_names_read(NULL);
    stacks->has_tried_names = true;
    spot->is_named = stacks->names && kernel_names_find(stacks->names, address, &function, &module);
    if (spot->is_named) {
        spot->kind = (uint8_t)wait_kind_of(function);
        return make_frame(stacks, address, function, &spot->frame);
    }
    int const err = name_frame(stacks, KERNEL_PATH, &stacks->hidden_frame);
    spot->frame = stacks->hidden_frame - 1;
    return err;
}

static int find_spot(struct time_stacks *stacks, uint64_t address, struct kernel_spot *spot)
{
    uint32_t const known = address ? number_map_get(&stacks->index, address) : 0;
    if (known) {
        *spot = stacks->spots.items[known - 1];
        return 0;
    }
    *spot = (struct kernel_spot){.frame = 0};
    int const err = look_up(stacks, address, spot);
    if (err < 0 || address == 0 || stacks->spots.count >= NAMES_MAX)
        return err;
    uint32_t *place =
        vec_push(&stacks->spots, *spot) ? number_map_at(&stacks->index, address) : NULL;
    if (!place)
        return -ENOMEM;
    *place = (uint32_t)stacks->spots.count;
    return 0;
}

/* Puts the kernel's frames on a stack.  *kind is of the innermost that tells one. */
static int add_kernel(struct time_stacks *stacks, const struct agent_time *time, stack_id *stack,
                      enum wait_kind *kind, bool *is_unnamed)
{
    uint32_t last = UINT32_MAX;
    int err = 0;
    *kind = WAIT_UNKNOWN;
    *is_unnamed = false;
    for (unsigned i = time->kernel_count; i-- > 0 && err == 0;) {
        struct kernel_spot spot;
        /* All but the innermost are return addresses. */
        err = find_spot(stacks, time->kernel[i] - (i > 0), &spot);
        if (err < 0)
            break;
        *kind = spot.kind ? (enum wait_kind)spot.kind : *kind;
        *is_unnamed |= !spot.is_named;
        bool const is_again = !spot.is_named && spot.frame == last;
        last = spot.frame;
        if (!stacks->without_kernel && !is_again)
            err = push(stacks, stack, spot.frame);
    }
    return err;
}

int time_stacks_sample(struct time_stacks *stacks, const struct agent_time *time, stack_id program,
                       stack_id *stack, bool *is_unnamed)
{
    enum wait_kind ignored;
    *stack = program;
    int const err = add_kernel(stacks, time, stack, &ignored, is_unnamed);
    return err == 0 && *stack == STACK_EMPTY ? time_stacks_cut(stacks, STACK_EMPTY, stack) : err;
}

int time_stacks_cut(struct time_stacks *stacks, stack_id below, stack_id *stack)
{
    *stack = below;
    int const err = name_frame(stacks, STACK_CUT_NAME, &stacks->cut_frame);
    return err < 0 ? err : push(stacks, stack, stacks->cut_frame - 1);
}

int time_stacks_wait(struct time_stacks *stacks, const struct agent_time *time, stack_id program,
                     stack_id *stack)
{
    enum wait_kind kind;
    bool ignored;
    *stack = program;
    int err = add_kernel(stacks, time, stack, &kind, &ignored);
    if (time->state == AGENT_WAIT_PROCESSOR)
        kind = WAIT_PROCESSOR;
    else if (time->state == AGENT_WAIT_STOPPED)
        kind = WAIT_STOPPED;
    else if (kind == WAIT_UNKNOWN && time->state == AGENT_WAIT_DISK)
        kind = WAIT_DISK;
    if (err == 0)
        err = name_frame(stacks, wait_kind_name(kind), &stacks->kind_frames[kind]);
    return err < 0 ? err : push(stacks, stack, stacks->kind_frames[kind] - 1);
}

int time_stacks_too_short(struct time_stacks *stacks, stack_id program, stack_id *stack)
{
    *stack = program;
    int const err = name_frame(stacks, "[too short to be sampled]", &stacks->too_short_frame);
    return err < 0 ? err : push(stacks, stack, stacks->too_short_frame - 1);
}
