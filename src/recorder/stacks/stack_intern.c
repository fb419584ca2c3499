/* SPDX-License-Identifier: Apache-2.0 */
#include "stacks/stack_intern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/number_map.h"

/* As the tracer does it. */
#define FOLD_DEPTH 192u
#define FOLD_CYCLE 24u

#define MADE_FRAMES_MAX                                                                            \
    ((size_t)1 << 17) /* more of them are one: runtimes make code all the time */
#define CARRIED_MAX (STACK_FRAMES_MAX + 128u) /* frames: what the kernel adds, too */
#define KNOWN_MAX   ((size_t)1 << 20)         /* stacks remembered; then forgotten all at once */

struct stack_intern {
    struct recording *recording;
    struct number_map modules; /* index in the recording plus one, by number of the region */
    struct number_map frames;  /* the same of frames, by module and address */
    size_t frames_indexed;     /* of the recording's */
    /* the frame of code made at run time, plus one: it has no name but this, until its runtime
     * tells one */
    uint32_t made_code;
    size_t made_frames; /* of such code whose names its runtime lists */
    uint32_t cut, own;  /* the frames of what was cut off, and of memoir itself; plus one */
    struct number_map known_modules; /* of the recording, by what makes them alike */
    size_t modules_indexed;
    bool shares_modules; /* a file is one module, wherever it was mapped */
    struct number_map carried_modules, carried_frames,
        carried_stacks; /* of another recording; plus one */
    /* 2 * stack + 1 if folded, plus one, by a hash of its addresses and whose they are */
    struct number_map stacks;
};

struct stack_intern *stack_intern_create(struct recording *recording)
{
    struct stack_intern *intern = calloc(1, sizeof(*intern));
    if (intern)
        intern->recording = recording;
    return intern;
}

void stack_intern_destroy(struct stack_intern *intern)
{
    if (!intern)
        return;
    number_map_fini(&intern->modules);
    number_map_fini(&intern->known_modules);
    number_map_fini(&intern->frames);
    number_map_fini(&intern->stacks);
    number_map_fini(&intern->carried_modules);
    number_map_fini(&intern->carried_frames);
    number_map_fini(&intern->carried_stacks);
    free(intern);
}

static uint64_t key_of(uint64_t hash)
{
    return hash ? hash : 1;
}

static bool is_module(const struct stack_intern *intern, const struct module *module,
                      const struct module *other)
{
    return module->path == other->path && module->build_id == other->build_id &&
           (module->build_id != STRING_EMPTY || module->root == other->root) &&
           (intern->shares_modules || module->bias == other->bias);
}

static uint64_t module_key(const struct stack_intern *intern, const struct module *module)
{
    uint64_t const bias = intern->shares_modules ? 0 : module->bias;
    return key_of(hash_mix(hash_mix(bias) ^ ((uint64_t)module->path << 32 | module->build_id)));
}

/* Modules that others put into the recording. */
static int index_modules(struct stack_intern *intern)
{
    const struct recording *recording = intern->recording;
    for (; intern->modules_indexed < recording->modules.count; intern->modules_indexed++) {
        uint32_t *known =
            number_map_at(&intern->known_modules,
                          module_key(intern, &recording->modules.items[intern->modules_indexed]));
        if (!known)
            return -ENOMEM;
        if (*known == 0)
            *known = (uint32_t)intern->modules_indexed + 1;
    }
    return 0;
}

/* One that the recording has, or a new one: its index plus one. */
static int put_module(struct stack_intern *intern, const struct module *made, uint32_t *index)
{
    struct recording *recording = intern->recording;
    if (index_modules(intern) < 0)
        return -ENOMEM;
    uint32_t const known = number_map_get(&intern->known_modules, module_key(intern, made));
    if (known && is_module(intern, &recording->modules.items[known - 1], made)) {
        *index = known;
        return 0;
    }
    if (!vec_push(&recording->modules, *made))
        return -ENOMEM;
    *index = (uint32_t)recording->modules.count;
    return 0;
}

void stack_intern_share_modules(struct stack_intern *intern)
{
    intern->shares_modules = true;
}

/* The module of a region. */
static int find_module(struct stack_intern *intern, const struct process_code *code,
                       const struct code_region *region, uint32_t *module)
{
    struct recording *recording = intern->recording;
    uint32_t *known = number_map_at(&intern->modules, region->number);
    if (!known)
        return -ENOMEM;
    if (*known == 0) {
        struct module const made = {.path = recording_intern(recording, region->path),
                                    .build_id = recording_intern(recording, region->build_id),
                                    .start = region->module_start,
                                    .end = region->module_end,
                                    .bias = region->bias,
                                    .root = process_code_root(code)};
        if (put_module(intern, &made, known) < 0)
            return -ENOMEM;
    }
    *module = *known - 1;
    return 0;
}

/* All different as long as there are fewer than 65535 modules; who uses it looks again. */
static uint64_t frame_key(uint32_t module, uint64_t address)
{
    return key_of(address ^ (uint64_t)(module + 1) << 48);
}

static bool is_frame(const struct recording *recording, uint32_t index, struct frame frame)
{
    const struct frame *known = &recording->frames.items[index];
    return known->module == frame.module && known->address == frame.address;
}

/* Frames that others put into the recording.  Those in no module may be names. */
static int index_frames(struct stack_intern *intern)
{
    struct recording *recording = intern->recording;
    for (; intern->frames_indexed < recording->frames.count; intern->frames_indexed++) {
        const struct frame *frame = &recording->frames.items[intern->frames_indexed];
        if (frame->module == MODULE_NONE && frame->location_count > 0)
            continue;
        uint32_t *known = number_map_at(&intern->frames, frame_key(frame->module, frame->address));
        if (!known)
            return -ENOMEM;
        if (*known == 0)
            *known = (uint32_t)intern->frames_indexed + 1;
    }
    return 0;
}

static int put_frame(struct stack_intern *intern, struct frame frame, uint32_t *index)
{
    struct recording *recording = intern->recording;
    uint32_t const known = number_map_get(&intern->frames, frame_key(frame.module, frame.address));
    if (known && is_frame(recording, known - 1, frame)) {
        *index = known - 1;
        return 0;
    }
    if (!vec_push(&recording->frames, frame))
        return -ENOMEM;
    *index = (uint32_t)recording->frames.count - 1;
    return index_frames(intern);
}

/* A frame that is only a name; made once. */
static int put_name(struct stack_intern *intern, const char *name, uint32_t *known, uint32_t *index)
{
    struct recording *recording = intern->recording;
    stack_id ignored;
    if (!*known) {
        if (recording_name_stack(recording, recording_intern(recording, name), &ignored) < 0)
            return -ENOMEM;
        *known = (uint32_t)recording->frames.count;
    }
    *index = *known - 1;
    return 0;
}

/* Our library, in the program that we trace: from its file, or from memory. */
static bool is_own_code(const struct code_region *region)
{
    static const char from_memory[] = "/memfd:libmemoir.so", name[] = "libmemoir.so";
    const char *slash = strrchr(region->path, '/');
    return strncmp(region->path, from_memory, sizeof(from_memory) - 1) == 0 ||
           (slash && strcmp(slash + 1, name) == 0);
}

/* Where the runtime lists what it makes, each address is a frame, to be named by the list. */
static int put_listed_code(struct stack_intern *intern, const struct code_region *region,
                           const char *list, uint64_t address, uint32_t *index)
{
    struct recording *recording = intern->recording;
    size_t const before = recording->frames.count;
    struct module const made = {
        .path = recording_intern(recording, list), .start = region->start, .end = region->end};
    struct frame frame = {.module = 0, .address = address};
    if (put_module(intern, &made, &frame.module) < 0)
        return -ENOMEM;
    frame.module--;
    int const err = put_frame(intern, frame, index);
    intern->made_frames += recording->frames.count - before;
    return err;
}

static int find_frame(struct stack_intern *intern, struct process_code *code, uint64_t address,
                      uint32_t *index)
{
    const struct code_region *region = process_code_find(code, address);
    struct frame frame = {.module = MODULE_NONE, .address = address};
    if (region && region->kind == CODE_MADE) {
        const char *list = process_code_made_list(code);
        return *list && intern->made_frames < MADE_FRAMES_MAX
                   ? put_listed_code(intern, region, list, address, index)
                   : put_name(intern, "[jit]", &intern->made_code, index);
    }
    if (region && is_own_code(region))
        return put_name(intern, OWN_CODE_NAME, &intern->own, index);
    if (region && region->kind == CODE_FILE) {
        if (find_module(intern, code, region, &frame.module) < 0)
            return -ENOMEM;
        frame.address -= region->bias;
    }
    return put_frame(intern, frame, index);
}

/* If the innermost frames are the same cycle twice, how long it is; 0 when they are not. */
static uint32_t repeated_cycle(const uint32_t *frames, uint32_t count)
{
    for (uint32_t cycle = 1; cycle <= FOLD_CYCLE && 2 * cycle <= count; cycle++) {
        uint32_t same = 0;
        while (same < cycle && frames[count - 1 - same] == frames[count - 1 - same - cycle])
            same++;
        if (same == cycle)
            return cycle;
    }
    return 0;
}

/* Whether its outermost frame is not where the thread began. */
static bool is_cut(const struct stack_walk *walk)
{
    return walk->end == STACK_END_CUT || walk->end == STACK_END_NO_RULE ||
           walk->end == STACK_END_BAD_FRAME;
}

static int put_frames(struct stack_intern *intern, struct process_code *code,
                      const struct stack_walk *walk, struct interned_stack *interned)
{
    uint32_t frames[STACK_FRAMES_MAX + 1], count = 0; /* outermost first */
    int err = index_frames(intern);
    if (err == 0 && is_cut(walk))
        err = put_name(intern, STACK_CUT_NAME, &intern->cut, &frames[count++]);
    for (uint32_t i = walk->frame_count; err == 0 && i-- > 0;) {
        err = find_frame(intern, code, walk->frames[i], &frames[count++]);
        if (err < 0)
            break;
        if (count > 1 && frames[count - 1] == intern->own - 1 &&
            frames[count - 2] == intern->own - 1)
            count--;
        uint32_t const cycle = count > FOLD_DEPTH ? repeated_cycle(frames, count) : 0;
        count -= cycle;
        interned->folded |= cycle > 0;
    }
    for (uint32_t i = 0; err == 0 && i < count; i++)
        err = stack_table_push(intern->recording->stacks, interned->stack, frames[i],
                               &interned->stack);
    return err;
}

static uint64_t hash_walk(const struct process_code *code, const struct stack_walk *walk,
                          stack_id below)
{
    uint64_t hash =
        hash_mix(process_code_number(code) ^ (uint64_t)below << 32 ^ (uint64_t)is_cut(walk) << 63);
    for (uint32_t i = 0; i < walk->frame_count; i++)
        hash = hash_mix(hash ^ walk->frames[i]) + i;
    return key_of(hash);
}

int stack_intern_put(struct stack_intern *intern, struct process_code *code,
                     const struct stack_walk *walk, struct interned_stack *interned)
{
    return stack_intern_put_on(intern, code, walk, STACK_EMPTY, interned);
}

int stack_intern_put_on(struct stack_intern *intern, struct process_code *code,
                        const struct stack_walk *walk, stack_id below,
                        struct interned_stack *interned)
{
    uint64_t const key = hash_walk(code, walk, below);
    uint32_t const known = number_map_get(&intern->stacks, key);
    if (known) {
        *interned = (struct interned_stack){(known - 1) / 2, ((known - 1) & 1) != 0};
        return 0;
    }
    *interned = (struct interned_stack){.stack = below};
    int const err = put_frames(intern, code, walk, interned);
    if (err < 0)
        return err;
    if (intern->stacks.count >= KNOWN_MAX)
        number_map_fini(&intern->stacks);
    uint32_t *place = number_map_at(&intern->stacks, key);
    if (place) /* without it the next time takes longer, no more */
        *place = 2 * interned->stack + interned->folded + 1;
    return 0;
}

/* --- stacks of another recording --- */

static string_id carry_text(struct stack_intern *intern, const struct recording *from, string_id id)
{
    return recording_intern(intern->recording, recording_text(from, id));
}

/* The same module in our recording. */
static int carry_module(struct stack_intern *intern, const struct recording *from, uint32_t module,
                        uint32_t *carried)
{
    uint32_t *known = number_map_at(&intern->carried_modules, (uint64_t)module + 1);
    if (!known)
        return -ENOMEM;
    if (*known == 0) {
        struct module made = from->modules.items[module];
        made.path = carry_text(intern, from, made.path);
        made.build_id = carry_text(intern, from, made.build_id);
        if (put_module(intern, &made, known) < 0)
            return -ENOMEM;
    }
    *carried = *known - 1;
    return 0;
}

/* A frame that is only a name. */
static int carry_name(struct stack_intern *intern, const struct recording *from,
                      const struct frame *frame, uint32_t *carried)
{
    const struct location *location = &from->locations.items[frame->first_location];
    stack_id ignored;
    if (recording_name_stack(intern->recording, carry_text(intern, from, location->function),
                             &ignored) < 0)
        return -ENOMEM;
    *carried = (uint32_t)intern->recording->frames.count - 1;
    return 0;
}

/* The names that a frame has already: of the kernel's functions, which nobody can look up later. */
static int carry_locations(struct stack_intern *intern, const struct recording *from,
                           struct frame *frame)
{
    struct recording *recording = intern->recording;
    uint32_t const first = frame->first_location;
    if (frame->location_count == 0)
        return 0;
    frame->first_location = (uint32_t)recording->locations.count;
    for (uint32_t i = 0; i < frame->location_count; i++) {
        struct location location = from->locations.items[first + i];
        location.function = carry_text(intern, from, location.function);
        location.symbol = carry_text(intern, from, location.symbol);
        location.file = carry_text(intern, from, location.file);
        if (!vec_push(&recording->locations, location))
            return -ENOMEM;
    }
    return 0;
}

static int carry_code(struct stack_intern *intern, const struct recording *from, struct frame frame,
                      uint32_t *carried)
{
    int err = 0;
    if (frame.module != MODULE_NONE)
        err = carry_module(intern, from, frame.module, &frame.module);
    if (err == 0)
        err = carry_locations(intern, from, &frame);
    return err < 0 ? err : put_frame(intern, frame, carried);
}

static int carry_frame(struct stack_intern *intern, const struct recording *from, uint32_t index,
                       uint32_t *carried)
{
    struct frame frame = from->frames.items[index];
    uint32_t *known = number_map_at(&intern->carried_frames, (uint64_t)index + 1);
    int err = known ? 0 : -ENOMEM;
    if (err == 0 && *known == 0) {
        if (frame.module == MODULE_NONE && frame.location_count > 0) {
            err = carry_name(intern, from, &frame, carried);
        } else {
            err = carry_code(intern, from, frame, carried);
        }
        if (err == 0)
            *known = *carried + 1;
    }
    if (err == 0)
        *carried = *known - 1;
    return err;
}

int stack_intern_carry(struct stack_intern *intern, const struct recording *from, stack_id stack,
                       stack_id *carried)
{
    stack_id chain[CARRIED_MAX];
    uint32_t depth = 0, frame;
    int err = index_frames(intern);
    *carried = STACK_EMPTY;
    while (stack != STACK_EMPTY && depth < CARRIED_MAX) {
        *carried = number_map_get(&intern->carried_stacks, stack);
        if (*carried != STACK_EMPTY)
            break;
        chain[depth++] = stack;
        stack = stack_table_innermost(from->stacks, stack).caller;
    }
    while (depth > 0 && err == 0) {
        stack_id const next = chain[--depth];
        err = carry_frame(intern, from, stack_table_innermost(from->stacks, next).frame, &frame);
        if (err == 0)
            err = stack_table_push(intern->recording->stacks, *carried, frame, carried);
        uint32_t *known = err == 0 ? number_map_at(&intern->carried_stacks, next) : NULL;
        if (known) /* without it the next time takes longer, no more */
            *known = *carried;
    }
    return err;
}
