/* SPDX-License-Identifier: Apache-2.0 */
/* inside_hooks.c - records the calls of an allocator that is part of the program: one hook per kind
 * of function. */
#include <stdbool.h>
#include <string.h>

#include "tracer/hooks/inside.h"
#include "tracer/rings/record.h"
#include "tracer/rings/sample.h"
#include "tracer/rings/thread.h"

_Static_assert(offsetof(struct tracer_thread, busy) == INSIDE_THREAD_BUSY, "see inside_enter.S");
_Static_assert(offsetof(struct tracer_thread, busy_frame) == INSIDE_THREAD_BUSY_FRAME,
               "see inside_enter.S");
_Static_assert(offsetof(struct inside_entry, hook) == INSIDE_ENTRY_HOOK, "see inside_enter.S");
_Static_assert(offsetof(struct inside_entry, original) == INSIDE_ENTRY_ORIGINAL,
               "see inside_enter.S");

typedef struct inside_result result;

static inline result call(const struct inside_entry *entry, const uint64_t *a)
{
    return entry->original(a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Whatever else the function calls is the allocator's own affair. */
static inline result call_busy(const struct inside_entry *entry, const uint64_t *arguments)
{
    tracer_self.busy = THREAD_ELSEWHERE;
    result made = call(entry, arguments);
    tracer_self.busy = THREAD_BUSY;
    return made;
}

static inline size_t size_asked(const struct inside_entry *entry, const uint64_t *arguments)
{
    uint64_t size = arguments[entry->shape.size];
    return entry->shape.count == INSIDE_NO ? size : size * arguments[entry->shape.count];
}

/* jemalloc's sizes: multiples of 16 up to 128, then four to each power of two; and 8. */
static uint64_t jemalloc_class(uint64_t size)
{
    if (size <= 8)
        return 8;
    if (size > 1ull << 47)
        return size;
    unsigned log = 63u - (unsigned)__builtin_clzll(2 * size - 1);
    uint64_t step = log < 7 ? 16 : 1ull << (log - 3);
    return (size + step - 1) & ~(step - 1);
}

static inline uint64_t usable_of(const struct inside_entry *entry, const void *block, size_t size)
{
    if (likely(entry->usable != NULL))
        return entry->usable(block, 0);
    return entry->usable_rule == INSIDE_USABLE_JEMALLOC ? jemalloc_class(size) : (size + 7) & ~7ull;
}

static inline uint64_t size_at_its_end(const struct inside_entry *entry, const void *block)
{
    return entry->usable ? entry->usable(block, 0) : SIZE_UNKNOWN;
}

static void note_block(const struct inside_entry *entry, void *block, size_t size, void *frame)
{
    uint64_t usable = usable_of(entry, block, size);
    if (likely(arena_enter())) {
        if (sample_wants(size, block))
            record_block(block, size, usable, frame);
        arena_leave();
    }
}

static result hook_alloc(const uint64_t *arguments, const struct inside_entry *entry, void *frame)
{
    size_t size = size_asked(entry, arguments);
    if (unlikely(!tracer_enter()))
        return call(entry, arguments);
    bool passes = sample_passes(size); /* and what it calls must not count again */
    result made = call_busy(entry, arguments);
    if (likely(made.value != 0 && !passes))
        note_block(entry, (void *)made.value, size, frame);
    tracer_leave();
    return made;
}

static result hook_free(const uint64_t *arguments, const struct inside_entry *entry, void *frame)
{
    (void)frame;
    void *block = (void *)arguments[entry->shape.block];
    if (unlikely(!block) || sample_passes_free(block) || unlikely(!tracer_enter()))
        return call(entry, arguments);
    if (likely(arena_enter())) {
        if (sample_wants_free(block))
            record_free(block, size_at_its_end(entry, block));
        arena_leave();
    }
    result done = call_busy(entry, arguments);
    tracer_leave();
    return done;
}

static result hook_alloc_out(const uint64_t *arguments, const struct inside_entry *entry,
                             void *frame)
{
    if (unlikely(!tracer_enter()))
        return call(entry, arguments);
    size_t size = size_asked(entry, arguments);
    result made = call_busy(entry, arguments);
    void *block = (int)made.value == 0 ? *(void **)arguments[entry->shape.block] : NULL;
    if (block)
        note_block(entry, block, size, frame);
    tracer_leave();
    return made;
}

static result hook_alloc_text(const uint64_t *arguments, const struct inside_entry *entry,
                              void *frame)
{
    if (unlikely(!tracer_enter()))
        return call(entry, arguments);
    result made = call_busy(entry, arguments);
    if (made.value)
        note_block(entry, (void *)made.value, strlen((const char *)made.value) + 1, frame);
    tracer_leave();
    return made;
}

/* A change of size under way. */
struct move {
    uint64_t epoch; /* of tracing, when it began; 0 when it was off */
    struct resizing resizing;
};

static struct move note_move(const struct inside_entry *entry, void *old)
{
    struct move move = {0, {old, false, false}};
    if (old && arena_enter()) {
        move.epoch = tracer_self.epoch;
        record_resize(&move.resizing, size_at_its_end(entry, old));
        arena_leave();
    }
    return move;
}

/* Its end: `block` is the new one; without, the old one is as it was or, with a size of 0,
 * freed. */
static void note_moved(const struct inside_entry *entry, struct move move, void *block, size_t size,
                       void *frame)
{
    uint64_t usable = block ? usable_of(entry, block, size) : 0;
    if (!arena_enter())
        return;
    move.resizing.followed &= tracer_self.epoch == move.epoch; /* else tracing began meanwhile */
    record_resized(&move.resizing, block, size, usable, frame);
    arena_leave();
}

static result hook_resize(const uint64_t *arguments, const struct inside_entry *entry, void *frame)
{
    void *old = (void *)arguments[entry->shape.block];
    if (!old)
        return hook_alloc(arguments, entry, frame);
    if (unlikely(!tracer_enter()))
        return call(entry, arguments);
    size_t size = size_asked(entry, arguments);
    struct move move = note_move(entry, old);
    result made = call_busy(entry, arguments);
    bool gone = !made.value && entry->shape.call == INSIDE_RESIZE_FREE;
    note_moved(entry, move, (void *)made.value, gone ? 0 : size, frame);
    tracer_leave();
    return made;
}

static result hook_resize_out(const uint64_t *arguments, const struct inside_entry *entry,
                              void *frame)
{
    void **place = (void **)arguments[entry->shape.block];
    if (unlikely(!place || !tracer_enter()))
        return call(entry, arguments);
    size_t size = size_asked(entry, arguments);
    void *old = *place;
    struct move move = note_move(entry, old);
    result made = call_busy(entry, arguments);
    bool failed = (int)made.value != 0;
    if (old)
        note_moved(entry, move, failed ? NULL : *place, failed ? 1 : size, frame);
    else if (!failed && *place)
        note_block(entry, *place, size, frame);
    tracer_leave();
    return made;
}

/* The block stays where it is, whatever happens. */
static result hook_in_place(const uint64_t *arguments, const struct inside_entry *entry,
                            void *frame)
{
    void *block = (void *)arguments[entry->shape.block];
    if (unlikely(!block || !tracer_enter()))
        return call(entry, arguments);
    size_t size = size_asked(entry, arguments);
    struct move move = note_move(entry, block);
    result made = call_busy(entry, arguments);
    bool done = made.value != 0;
    if (entry->shape.call == INSIDE_XALLOCX) { /* tells how large it is now */
        uint64_t extra = arguments[entry->shape.size + 1];
        done = made.value >= size;
        size += done && made.value - size >= extra ? extra : 0;
    }
    note_moved(entry, move, done ? block : NULL, done ? size : 1, frame);
    tracer_leave();
    return made;
}

void inside_choose_hook(struct inside_entry *entry)
{
    static result (*const hooks[INSIDE_CALLS])(const uint64_t *, const struct inside_entry *,
                                               void *) = {
        [INSIDE_ALLOC] = hook_alloc,           [INSIDE_ALLOC_OUT] = hook_alloc_out,
        [INSIDE_ALLOC_TEXT] = hook_alloc_text, [INSIDE_FREE] = hook_free,
        [INSIDE_RESIZE] = hook_resize,         [INSIDE_RESIZE_FREE] = hook_resize,
        [INSIDE_RESIZE_OUT] = hook_resize_out, [INSIDE_EXPAND] = hook_in_place,
        [INSIDE_XALLOCX] = hook_in_place};
    entry->hook = entry->shape.call < INSIDE_CALLS ? hooks[entry->shape.call] : NULL;
}

/* The unwinder asks at every frame that an exception passes through: nothing to catch, but the
 * hook is over. */
#define UNWIND_CLEANUP_PHASE 2
#define UNWIND_GO_ON         8
int inside_personality(int version, int actions, uint64_t class, void *exception, void *context)
    __attribute__((visibility("hidden")));
int inside_personality(int version, int actions, uint64_t class, void *exception, void *context)
{
    (void)version, (void)class, (void)exception, (void)context;
    if (actions & UNWIND_CLEANUP_PHASE)
        tracer_leave();
    return UNWIND_GO_ON;
}
