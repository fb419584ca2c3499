/* shared.h - the recorder's only way to read and write the arena.
 *
 * The watched program can change every word of the arena at any instant.  So pointers into the
 * arena have types that are never defined: the compiler does not dereference such a pointer, or
 * pass it to a function that takes a type of wire/arena.h.  The macros below read one word, once,
 * by one instruction that the compiler can neither repeat nor split.  Anything larger than a word
 * is copied first (shared_copy_...), and only the copy is checked and used.
 *
 *   shared_get(place, field)                    returns the value, of 4 or 8 bytes
 *   shared_set(place, field, value)
 *   shared_add(place, field, value)             returns the value before
 *   shared_swap(place, field, value)            returns the value before
 *   shared_replace(place, field, &is, value)    returns whether it was `is`; if not, sets `is`
 *   shared_wait(place, field, value, time)      futexes
 *   shared_wake(place, field, count)
 *
 * scripts/check-arena checks that no file of the recorder accesses the arena in another way. */
#pragma once

#include <assert.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "wire/arena.h"

struct shared_arena; /* A struct arena_header, and all that follows it. */
struct shared_process;
struct shared_tag;
struct shared_module;
struct shared_bell;
struct shared_node;
struct shared_slot;
struct shared_ring; /* RING_WORDS words. */

#define SHARED_PLACE(place)                                                                        \
    _Generic((place), struct shared_arena *                                                        \
             : (struct arena_header *)(void *)(place), struct shared_process *                     \
             : (struct arena_process *)(void *)(place), struct shared_tag *                        \
             : (struct arena_tag *)(void *)(place), struct shared_module *                         \
             : (struct arena_module *)(void *)(place), struct shared_bell *                        \
             : (struct arena_bell *)(void *)(place), struct shared_node *                          \
             : (struct trie_node *)(void *)(place), struct shared_slot *                           \
             : (struct arena_slot *)(void *)(place))

/* A field of another size is no word: then the void value is a compile error. */
#define SHARED_BY_SIZE(at, of_8, of_4)                                                             \
    __builtin_choose_expr(sizeof(*(at)) == 8, of_8,                                                \
                          __builtin_choose_expr(sizeof(*(at)) == 4, of_4, (void)0))

/* Words of the arena, whatever type they have in wire/arena.h. */
typedef uint64_t shared_8 __attribute__((may_alias));
typedef uint32_t shared_4 __attribute__((may_alias));

static inline uint64_t shared_load_8(const void *at)
{
    return __atomic_load_n((const shared_8 *)at, __ATOMIC_ACQUIRE);
}

static inline uint32_t shared_load_4(const void *at)
{
    return __atomic_load_n((const shared_4 *)at, __ATOMIC_ACQUIRE);
}

static inline uint64_t shared_swap_8(void *at, uint64_t value)
{
    return __atomic_exchange_n((shared_8 *)at, value, __ATOMIC_SEQ_CST);
}

static inline uint32_t shared_swap_4(void *at, uint32_t value)
{
    return __atomic_exchange_n((shared_4 *)at, value, __ATOMIC_SEQ_CST);
}

static inline uint64_t shared_add_8(void *at, uint64_t value)
{
    return __atomic_fetch_add((uint64_t *)at, value, __ATOMIC_SEQ_CST);
}

static inline uint32_t shared_add_4(void *at, uint32_t value)
{
    return __atomic_fetch_add((uint32_t *)at, value, __ATOMIC_SEQ_CST);
}

static inline bool shared_replace_8(void *at, uint64_t *is, uint64_t value)
{
    return __atomic_compare_exchange_n((shared_8 *)at, is, value, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

static inline bool shared_replace_4(void *at, uint32_t *is, uint32_t value)
{
    return __atomic_compare_exchange_n((shared_4 *)at, is, value, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

static inline long shared_futex(const void *at, int operation, uint32_t value,
                                const struct timespec *time)
{
    return syscall(SYS_futex, at, operation, value, time, NULL, 0);
}

#define SHARED_FIELD(place, field) (&SHARED_PLACE(place)->field)

#define shared_get(place, field)                                                                   \
    SHARED_BY_SIZE(SHARED_FIELD(place, field), shared_load_8(SHARED_FIELD(place, field)),          \
                   shared_load_4(SHARED_FIELD(place, field)))
#define shared_swap(place, field, value)                                                           \
    SHARED_BY_SIZE(SHARED_FIELD(place, field), shared_swap_8(SHARED_FIELD(place, field), value),   \
                   shared_swap_4(SHARED_FIELD(place, field), (uint32_t)(value)))
#define shared_set(place, field, value) ((void)shared_swap(place, field, value))
#define shared_add(place, field, value)                                                            \
    SHARED_BY_SIZE(SHARED_FIELD(place, field), shared_add_8(SHARED_FIELD(place, field), value),    \
                   shared_add_4(SHARED_FIELD(place, field), (uint32_t)(value)))
#define shared_replace(place, field, is, value)                                                    \
    SHARED_BY_SIZE(SHARED_FIELD(place, field),                                                     \
                   shared_replace_8(SHARED_FIELD(place, field), (void *)(is), value),              \
                   shared_replace_4(SHARED_FIELD(place, field), (void *)(is), (uint32_t)(value)))

#define shared_wait(place, field, value, time)                                                     \
    shared_futex(SHARED_FIELD(place, field), FUTEX_WAIT, value, time)
#define shared_wake(place, field, count)                                                           \
    shared_futex(SHARED_FIELD(place, field), FUTEX_WAKE, count, NULL)

/* Size of a field in bytes. */
#define shared_room(place, field) sizeof(SHARED_PLACE(place)->field)

/* Writes our text, cut to fit; the bytes after its NUL are unchanged. */
#define shared_put_text(place, field, text)                                                        \
    shared_write_text(SHARED_PLACE(place)->field, shared_room(place, field), text)
static inline void shared_write_text(char *at, size_t size, const char *text)
{
    size_t const length = strlen(text), fits = length < size ? length : size - 1;
    memcpy(at, text, fits);
    at[fits] = '\0';
}

static inline void shared_copy_words(void *to, const void *from, size_t size)
{
    for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
        uint64_t const word =
            __atomic_load_n((const shared_8 *)((const char *)from + i), __ATOMIC_RELAXED);
        memcpy((char *)to + i, &word, sizeof(word));
    }
}

/* Copies the name of the first program that was left behind. */
static inline void shared_copy_left_program(char to[64], struct shared_arena *arena)
{
    _Static_assert(sizeof(((struct arena_header *)0)->left_program) == 64, "they are as long");
    shared_copy_words(to, SHARED_PLACE(arena)->left_program, 64);
    to[63] = '\0';
}

static inline void shared_copy_process(struct arena_process *to, struct shared_process *from)
{
    _Static_assert(sizeof(*to) % 8 == 0, "it is copied by words");
    shared_copy_words(to, from, sizeof(*to));
    to->path[sizeof(to->path) - 1] = '\0';
}

static inline void shared_copy_module(struct arena_module *to, struct shared_module *from)
{
    _Static_assert(sizeof(*to) % 8 == 0, "it is copied by words");
    shared_copy_words(to, from, sizeof(*to));
    to->path[sizeof(to->path) - 1] = '\0';
}

/* Sets all but the state to zero. */
static inline void shared_clear_process(struct shared_process *process)
{
    size_t const state = sizeof(((struct arena_process *)0)->state);
    memset((char *)process + state, 0, sizeof(struct arena_process) - state);
}

static inline uint64_t shared_word(struct shared_ring *ring, uint64_t at)
{
    const shared_8 *words = (const void *)ring;
    return __atomic_load_n(&words[at % RING_WORDS], __ATOMIC_RELAXED);
}

static inline bool shared_word_replace(struct shared_ring *ring, uint64_t at, uint64_t *is,
                                       uint64_t value)
{
    shared_8 *words = (void *)ring;
    return shared_replace_8(&words[at % RING_WORDS], is, value);
}

static inline uint32_t shared_outcome(struct shared_bell *bell, uint32_t patch)
{
    assert(patch < INSIDE_PATCHES);
    return shared_get(bell, outcomes[patch]);
}

static inline void shared_clear_outcomes(struct shared_bell *bell)
{
    struct arena_bell *cleared = SHARED_PLACE(bell);
    memset(cleared->outcomes, 0, sizeof(cleared->outcomes));
}

/* madvise(2) for a part of the slot's memory. */
static inline void shared_slot_advise(struct shared_slot *slot, size_t from, size_t bytes,
                                      int advice)
{
    assert(from + bytes <= SLOT_STRIDE);
    madvise((char *)slot + from, bytes, advice);
}

/* Address of the word that the kernel marks when the recorder dies; needed only for its robust
 * list. */
static inline uintptr_t shared_lock_address(struct shared_arena *memory)
{
    return (uintptr_t)memory + ARENA_LOCK_AT;
}

static inline void shared_set_lock(struct shared_arena *memory, uint32_t owner)
{
    shared_swap_4((char *)memory + ARENA_LOCK_AT, owner);
}

/* Returns a place by its index.  The index must be valid: an index that the program wrote is
 * checked before. */
#define SHARED_AT(kind, memory, index, count, at)                                                  \
    (assert((index) < (count)),                                                                    \
     (struct shared_##kind *)(void *)at((struct arena_header *)(void *)(memory), index))

static inline struct shared_process *shared_process_at(struct shared_arena *memory, uint32_t index)
{
    return SHARED_AT(process, memory, index, ARENA_PROCESSES, arena_process_at);
}

static inline struct shared_tag *shared_tag_at(struct shared_arena *memory, uint32_t slot)
{
    return SHARED_AT(tag, memory, slot, ARENA_SLOTS, arena_tag_at);
}

static inline struct shared_module *shared_module_at(struct shared_arena *memory, uint32_t index)
{
    return SHARED_AT(module, memory, index, ARENA_MODULES, arena_module_at);
}

static inline struct shared_node *shared_node_at(struct shared_arena *memory, uint32_t id)
{
    return SHARED_AT(node, memory, id, ARENA_NODES, arena_node_at);
}

static inline struct shared_slot *shared_slot_at(struct shared_arena *memory, uint32_t index)
{
    return SHARED_AT(slot, memory, index, ARENA_SLOTS, arena_slot_at);
}

static inline struct shared_ring *shared_ring_of(struct shared_slot *slot)
{
    return (struct shared_ring *)(void *)arena_slot_ring(SHARED_PLACE(slot));
}

static inline struct shared_bell *shared_bell_of(struct shared_arena *memory)
{
    return (struct shared_bell *)(void *)arena_bell_of((struct arena_header *)(void *)memory);
}
