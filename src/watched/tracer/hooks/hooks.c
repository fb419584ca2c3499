/* SPDX-License-Identifier: Apache-2.0 */
/* hooks.c - the allocation functions, as the program sees them.
 *
 * An allocation is recorded after the real call, a free before it: so the records of one address
 * alternate, whatever the threads do.  C++ new and delete, strdup, getline and similar functions
 * call these. */
#include "tracer/hooks/hooks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/process/real.h"
#include "tracer/rings/record.h"
#include "tracer/stacks/rules.h"
#include "tracer/rings/sample.h"
#include "tracer/stacks/tables.h"
#include "tracer/rings/thread.h"

#define HOOK __attribute__((visibility("default"), noinline))
#define HERE __builtin_frame_address(0)

void cfree(void *block);
void free_sized(void *block, size_t size);
void free_aligned_sized(void *block, size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size);
void *valloc(size_t size);
void *pvalloc(size_t size);

static always_inline void *recorded(void *block, size_t size, void *frame)
{
    if (block && arena_enter()) {
        if (sample_wants(size, block))
            record_alloc(block, size, frame);
        arena_leave();
    }
    tracer_leave();
    return block;
}

/* For what is called seldom: small code instead of fast. */
static __attribute__((noinline)) void *recorded_seldom(void *block, size_t size, void *frame)
{
    return recorded(block, size, frame);
}

TRACED void *traced_malloc(size_t size)
{
    if (unlikely(!tracer_enter()))
        return real.malloc(size);
    void *block = real.malloc(size);
    if (unlikely(!block && tables_yield()))
        block = real.malloc(size);
    return recorded(block, size, HERE);
}

/* The loader makes room for what it must know of a library.  What was in that library's place
 * before may have been closed by calls that nobody sees. */
static __attribute__((noinline)) void library_comes(void)
{
    if (arena_enter()) {
        rules_modules_changed();
        arena_leave();
    }
}

TRACED void *traced_calloc(size_t count, size_t size)
{
    if (unlikely(!tracer_enter()))
        return real.calloc(count, size);
    if (unlikely(rules_is_loader(__builtin_return_address(0))))
        library_comes();
    void *block = real.calloc(count, size);
    if (unlikely(!block && tables_yield()))
        block = real.calloc(count, size);
    return recorded(block, count * size, HERE);
}

TRACED void traced_free(void *block)
{
    if (unlikely(!block || real_is_early(block)))
        return;
    if (unlikely(!tracer_enter())) {
        real.free(block);
        return;
    }
    if (arena_enter()) {
        if (sample_wants_free(block))
            record_free(block, size_at_end(block));
        arena_leave();
    }
    real.free(block);
    tracer_leave();
}

/* A block of the early heap moves to the real one the first time it is resized. */
static void *move_early(void *block, size_t size)
{
    void *moved = real.malloc(size);
    size_t old = real_early_size(block);
    if (moved)
        memcpy(moved, block, old < size ? old : size);
    return moved;
}

static inline void *resize(void *block, size_t size, void *frame)
{
    if (unlikely(block && real_is_early(block)))
        return move_early(block, size);
    if (unlikely(!tracer_enter()))
        return real.realloc(block, size);
    if (!block)
        return recorded_seldom(real.realloc(NULL, size), size, frame);
    struct tracer_thread *self = &tracer_self;
    uint64_t epoch = 0;
    struct resizing resizing = {block, false, false};
    if (arena_enter()) {
        epoch = self->epoch;
        record_resize(&resizing, size_at_end(block));
        arena_leave();
    }
    void *moved = real.realloc(block, size);
    if (unlikely(!moved && size && tables_yield()))
        moved = real.realloc(block, size);
    if (arena_enter()) {
        resizing.followed &= self->epoch == epoch; /* else tracing began meanwhile */
        record_resized(&resizing, moved, size, moved ? usable_size(moved) : 0, frame);
        arena_leave();
    }
    tracer_leave();
    return moved;
}

TRACED void *traced_realloc(void *block, size_t size)
{
    return resize(block, size, HERE);
}

HOOK void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    if (unlikely(real.first_realloc != NULL)) /* as libc's does, by name */
        return real.first_realloc(block, bytes);
    if ((!block || sample_passes_free(block)) && sample_passes(bytes))
        return real.realloc(block, bytes);
    return resize(block, bytes, HERE);
}

HOOK int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (sample_passes(size) || !tracer_enter())
        return real.posix_memalign(out, alignment, size);
    int err = real.posix_memalign(out, alignment, size);
    recorded_seldom(err == 0 ? *out : NULL, size, HERE);
    return err;
}

HOOK void *aligned_alloc(size_t alignment, size_t size)
{
    if (sample_passes(size) || !tracer_enter())
        return real.aligned_alloc(alignment, size);
    return recorded_seldom(real.aligned_alloc(alignment, size), size, HERE);
}

HOOK void *memalign(size_t alignment, size_t size)
{
    if (sample_passes(size) || !tracer_enter())
        return real.memalign(alignment, size);
    return recorded_seldom(real.memalign(alignment, size), size, HERE);
}

HOOK void *valloc(size_t size)
{
    if (sample_passes(size) || !tracer_enter())
        return real.valloc(size);
    return recorded_seldom(real.valloc(size), size, HERE);
}

HOOK void *pvalloc(size_t size)
{
    if (sample_passes(size) || !tracer_enter())
        return real.pvalloc(size);
    return recorded_seldom(real.pvalloc(size), size, HERE);
}

static void free_by_name(void *block)
{
    if (unlikely(real.first_free != NULL))
        real.first_free(block);
    else
        free(block);
}

HOOK void cfree(void *block)
{
    free_by_name(block);
}

HOOK void free_sized(void *block, size_t size)
{
    (void)size;
    free_by_name(block);
}

HOOK void free_aligned_sized(void *block, size_t alignment, size_t size)
{
    (void)alignment;
    (void)size;
    free_by_name(block);
}
