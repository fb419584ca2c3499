/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/rings/told.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "memoir.h"
#include "tracer/process/raw_syscall.h"
#include "tracer/rings/record.h"
#include "wire/invariant.h"
#include "wire/told.h"

#define HERE __builtin_frame_address(0)

/* No room is asked for twice: the longest record, a time of its own and one that is due fit the
 * margin. */
_Static_assert(TOLD_WORDS_MAX + 2 + EVENT_WORDS_MAX + 2 <= RING_MARGIN, "a record fits the margin");
_Static_assert(TOLD_TEXT_MAX == MEMOIR_TEXT_MAX, "the header says how long a text may be");

/* Blocks are numbered apart from the heap's: a pool's first block may be where its memory
 * begins.  There when the first is told of, for most programs tell of none. */
static _Atomic(uint16_t *) block_numbers;
#define NUMBERS_BYTES (EVENT_GROUPS * sizeof(uint16_t))

static uint16_t *map_numbers(void)
{
    uint16_t *nobody = NULL;
    long at = raw_syscall6(SYS_mmap, 0, (long)NUMBERS_BYTES, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at < 0 && at > -4096)
        return NULL;
    if (atomic_compare_exchange_strong(&block_numbers, &nobody, (uint16_t *)at))
        return (uint16_t *)at;
    raw_syscall3(SYS_munmap, at, (long)NUMBERS_BYTES, 0); /* another thread was first */
    return nobody;
}

static uint64_t next_block_number(const void *block)
{
    uint16_t *numbers = atomic_load_explicit(&block_numbers, memory_order_acquire);
    if (!numbers && !(numbers = map_numbers()))
        return 0; /* the recorder copes with numbers that repeat */
    uint16_t *number = &numbers[event_group((uint64_t)block)];
    uint16_t next = (uint16_t)(__atomic_load_n(number, __ATOMIC_RELAXED) + 1);
    __atomic_store_n(number, next, __ATOMIC_RELAXED);
    return next & EVENT_SEQUENCE_MASK;
}

void told_forget(void)
{
    uint16_t *numbers = atomic_load(&block_numbers);
    if (numbers)
        raw_zero_pages(numbers, NUMBERS_BYTES);
}

/* The slot to tell in, until leave(); NULL when nobody listens. */
static struct arena_slot *enter(void)
{
    struct arena_slot *slot = NULL;
    if (!tracer_enter())
        return NULL;
    if (arena_enter() && !(slot = own_slot()))
        arena_leave();
    if (!slot)
        tracer_leave();
    return slot;
}

static void leave(void)
{
    arena_leave();
    tracer_leave();
}

/* ---- texts ---- */

/* At most so many bytes of `text`, cut where a character begins. */
static size_t cut_size(const char *text, size_t size, size_t most)
{
    if (size <= most)
        return size;
    while (most > 0 && (text[most] & 0xc0) == 0x80)
        most--;
    return most;
}

/* Words of `text`; 0 for none. */
static unsigned put_text(uint64_t *words, const char *text, size_t size)
{
    size = cut_size(text, size, TOLD_TEXT_MAX);
    unsigned count = (unsigned)(size + 7) / 8;
    INVARIANT(count <= TOLD_TEXT_MAX / 8 && (size == 0 || text));
    memset(words, 0, 8 * (size_t)count);
    if (size > 0)
        memcpy(words, text, size);
    return count;
}

static size_t text_size(const char *text)
{
    return text ? strnlen(text, TOLD_TEXT_MAX + 1) : 0;
}

/* "text number"; its size. */
static size_t append_number(char *to, const char *text, long number)
{
    char digits[24];
    size_t size = text_size(text), count = 0;
    unsigned long rest = number < 0 ? 0 - (unsigned long)number : (unsigned long)number;
    do {
        digits[count++] = (char)('0' + rest % 10);
    } while ((rest /= 10) > 0);
    if (number < 0)
        digits[count++] = '-';
    size = cut_size(text, size, TOLD_TEXT_MAX - count - 1);
    memcpy(to, text ? text : "", size);
    if (size > 0)
        to[size++] = ' ';
    while (count > 0)
        to[size++] = digits[--count];
    INVARIANT(size <= TOLD_TEXT_MAX);
    return size;
}

/* ---- fillings of pools ---- */

static _Atomic uint32_t last_fill;

/* Differs in every recording, and in a forked child: what a pool has from an earlier one is
 * void. */
static uint64_t present_recording(void)
{
    uint64_t start = arena_process_at(tracer_process.arena, tracer_process.process)->start_tsc;
    return (start | 1) << 32;
}

static uint64_t new_fill(void)
{
    uint32_t fill;
    do {
        fill = atomic_fetch_add(&last_fill, 1) + 1;
    } while (fill == 0);
    return present_recording() | fill;
}

static bool is_present(uint64_t fill)
{
    return fill >> 32 == present_recording() >> 32;
}

static void put_pool(struct arena_slot *slot, uint64_t fill, uint64_t before, const char *name)
{
    uint64_t words[TOLD_WORDS_MAX];
    if (!ring_begin(slot, (struct event_weight){0, 0, 0, 0}))
        return;
    unsigned count = 2 + put_text(words + 2, name, text_size(name));
    INVARIANT(count <= TOLD_WORDS_MAX);
    words[0] = told_head(0, TOLD_POOL, count);
    words[1] = fill << 32 | (uint32_t)before;
    ring_put(slot, words, count);
}

/* The filling that a block of `pool` belongs to, told first when nobody has yet. */
static uint32_t fill_of(struct arena_slot *slot, struct memoir_pool *pool)
{
    if (!pool)
        return 0;
    unsigned long known = __atomic_load_n(&pool->fill, __ATOMIC_ACQUIRE);
    if (likely(is_present(known)))
        return (uint32_t)known;
    uint64_t fill = new_fill();
    if (!__atomic_compare_exchange_n(&pool->fill, &known, fill, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        return is_present(known) ? (uint32_t)known : 0;
    put_pool(slot, fill, 0, pool->name);
    return (uint32_t)fill;
}

/* ---- blocks ---- */

static void put_made(struct arena_slot *slot, struct memoir_pool *pool, void *block, size_t size,
                     void *frame)
{
    uint32_t fill = fill_of(slot, pool);
    slot->pool_calls++;
    slot->pool_bytes += size;
    if (!ring_begin(slot, (struct event_weight){0, 0, 0, 0}))
        return;
    uint64_t stack = stack_capture(slot, frame);
    uint64_t words[4] = {told_head((uint64_t)block, TOLD_ALLOC, 4),
                         stack << 32 | next_block_number(block), size, fill};
    ring_put(slot, words, 4);
}

static void put_gone(struct arena_slot *slot, struct memoir_pool *pool, void *block)
{
    uint64_t known = pool ? __atomic_load_n(&pool->fill, __ATOMIC_ACQUIRE) : 0;
    uint64_t fill = is_present(known) ? known << 32 : 0;
    if (!ring_begin(slot, (struct event_weight){0, 0, 0, 0}))
        return;
    ring_put2(slot, told_head((uint64_t)block, TOLD_FREE, 2), fill | next_block_number(block));
}

static void block_made(struct memoir_pool *pool, void *block, size_t size)
{
    struct arena_slot *slot = block ? enter() : NULL;
    if (!slot)
        return;
    put_made(slot, pool, block, size, HERE);
    leave();
}

static void block_moved(struct memoir_pool *pool, void *old_block, void *block, size_t size)
{
    struct arena_slot *slot = enter();
    if (!slot)
        return;
    if (old_block)
        put_gone(slot, pool, old_block);
    if (block)
        put_made(slot, pool, block, size, HERE);
    leave();
}

static void block_gone(struct memoir_pool *pool, void *block)
{
    struct arena_slot *slot = block ? enter() : NULL;
    if (!slot)
        return;
    put_gone(slot, pool, block);
    leave();
}

static void pool_emptied(struct memoir_pool *pool, int for_ever)
{
    struct arena_slot *slot = pool ? enter() : NULL;
    if (!slot)
        return;
    uint64_t before = __atomic_load_n(&pool->fill, __ATOMIC_ACQUIRE);
    if (is_present(before)) { /* else it has had no block since we are here */
        uint64_t fill = for_ever ? 0 : new_fill();
        __atomic_store_n(&pool->fill, fill, __ATOMIC_RELEASE);
        put_pool(slot, fill, before, NULL);
    }
    leave();
}

/* ---- regions and marks ---- */

static void region_named(void *start, size_t size, const char *name)
{
    uint64_t words[TOLD_WORDS_MAX];
    struct arena_slot *slot = size > 0 ? enter() : NULL;
    if (!slot)
        return;
    if (ring_begin(slot, (struct event_weight){0, 0, 0, 0})) {
        unsigned count = name ? 3 + put_text(words + 3, name, text_size(name)) : 2;
        words[0] = told_head((uint64_t)start, name ? TOLD_REGION : TOLD_UNNAME, count);
        words[1] = name ? stack_capture(slot, HERE) : size;
        if (name)
            words[2] = size;
        ring_put(slot, words, count);
    }
    leave();
}

static void marked(int kind, const char *text, long number)
{
    uint64_t words[TOLD_WORDS_MAX];
    char numbered[TOLD_TEXT_MAX];
    struct arena_slot *slot = kind >= MEMOIR_MARK && kind <= MEMOIR_PHASE_END ? enter() : NULL;
    if (!slot)
        return;
    if (ring_begin(slot, (struct event_weight){0, 0, 0, 0})) {
        bool has_number = number != MEMOIR_NO_NUMBER;
        size_t size = has_number ? append_number(numbered, text, number) : text_size(text);
        unsigned count = 2 + put_text(words + 2, has_number ? numbered : text, size);
        words[0] = told_head((uint64_t)kind, TOLD_MARK, count);
        words[1] = ring_put_instant(slot);
        ring_put(slot, words, count);
        ring_wake_recorder(); /* it measures RSS when it reads this */
    }
    leave();
}

__attribute__((visibility("default")))
const struct memoir_calls memoir_calls_v1 = {.version = 1,
                                             .block_made = block_made,
                                             .block_moved = block_moved,
                                             .block_gone = block_gone,
                                             .pool_emptied = pool_emptied,
                                             .region_named = region_named,
                                             .marked = marked};
