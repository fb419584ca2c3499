/* SPDX-License-Identifier: Apache-2.0 */
/* stack_test.c - stacks of the incremental walk against those of the C library's unwinder, frame by
 * frame, on random call chains. */
#include "tracer/stacks/stack.h"
#include "tracer/stacks/tables.h"

#include <execinfo.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/rings/arena.h"
#include "chains.h"
#include "check.h"
#include "program_side.h"
#include "tracer/stacks/rules.h"
#include "tracer/rings/thread.h"
#include "tracer/stacks/trie.h"

#define FRAMES_MAX 20000
#define THREADS    4
#define HOOKS      20000u

struct tracer_process tracer_process;
__thread struct tracer_thread tracer_self;
static struct arena arena;

/* One thread's view: its slot, and what it found wrong. */
struct witness {
    uint32_t index; /* of the slot */
    struct arena_slot *slot;
    enum { COMPARE_FRAMES, COMPARE_NAME, COMPARE_NOTHING } comparison;
    unsigned seen, wrong;
    int depth_max;
    void **frames; /* of the other unwinder; the first is the hook's caller */
    uint32_t last_node;
};

extern void *__libc_stack_end;

/* The slot of this thread, knowing its stack as the tracer would. */
static struct arena_slot *make_slot(uint32_t index, bool main_thread)
{
    struct arena_slot *slot = arena_slot_at(program_side(&arena), index);
    struct thread_limits *limits = &tracer_self.limits;
    memset(slot, 0, sizeof(*slot));
    *limits = (struct thread_limits){.generation = UINT64_MAX, .slot = index};
    limits->stack_high = (uint64_t)__libc_stack_end;
    limits->stack_floor = limits->stack_high - (64u << 20);
    if (!main_thread) {
        pthread_attr_t attributes;
        void *start = NULL;
        size_t size = 0;
        pthread_getattr_np(pthread_self(), &attributes);
        pthread_attr_getstack(&attributes, &start, &size);
        pthread_attr_destroy(&attributes);
        limits->stack_floor = (uint64_t)start;
        limits->stack_high = limits->stack_floor + size;
    }
    limits->stack_low = (uint64_t)__builtin_frame_address(0);
    return slot;
}

/* The innermost frames, to show. */
static void show(struct witness *witness, uint32_t node, int count)
{
    print_error("capture %u: node %u, theirs has %d frames\n", witness->seen, node, count);
    for (int i = 0; i < count && i < 60; i++) {
        bool more = node >= TRIE_FIRST_NODE;
        uint64_t ip = more ? arena_node_at(program_side(&arena), node)->ip : node;
        print_error("  %2d theirs %p ours %llx %s\n", i, witness->frames[i], (unsigned long long)ip,
                    (uint64_t)witness->frames[i] == ip ? "" : "<--");
        node = more ? arena_node_at(program_side(&arena), node)->parent : node;
    }
}

/* Ours names the instruction behind one that was interrupted, which looks like a return address. */
static bool same_ip(uint64_t ours, uint64_t theirs, bool after_signal)
{
    return ours == theirs + after_signal;
}

static bool is_trampoline(uint64_t ip)
{
    return rule_kind_of(rules_find(ip)) == RULE_SIGNAL;
}

/* Compares frame by frame; true when both have the same and ours reached the outer end. */
static bool same_stack(struct witness *witness, uint32_t node, int count)
{
    bool after_signal = false;
    for (int i = 0; i < count; i++) {
        uint64_t theirs = (uint64_t)witness->frames[i];
        if (node < TRIE_FIRST_NODE)
            return false;
        struct trie_node *at = arena_node_at(program_side(&arena), node);
        if (!same_ip(at->ip, theirs, after_signal))
            return false;
        after_signal = is_trampoline(theirs);
        node = at->parent;
    }
    return node == TRIE_COMPLETE;
}

/* The name that the frames have when they are pushed one by one. */
static uint32_t name_of(struct witness *witness, int count)
{
    uint32_t node = TRIE_COMPLETE;
    for (int i = count - 1; i >= 0; i--) {
        uint64_t ip = (uint64_t)witness->frames[i];
        node = trie_push(node, ip, rule_module(rules_find(ip - 1)));
    }
    return node;
}

/* A stack may have two names; its frames are the same, also where recursion was folded. */
static bool same_frames(uint32_t one, uint32_t other)
{
    while (one != other) {
        if (one < TRIE_FIRST_NODE || other < TRIE_FIRST_NODE)
            return false;
        const struct trie_node *at = arena_node_at(program_side(&arena), one),
                               *there = arena_node_at(program_side(&arena), other);
        if (at->ip != there->ip || at->module != there->module)
            return false;
        one = at->parent;
        other = there->parent;
    }
    return true;
}

static bool is_right(struct witness *witness, uint32_t node, int count)
{
    switch (witness->comparison) {
    case COMPARE_FRAMES:
        return same_stack(witness, node, count);
    case COMPARE_NAME:
        return same_frames(name_of(witness, count), node);
    default:
        return true;
    }
}

/* The stack outside the function that was called from `caller`; sanitizers put frames of their own
 * inside it. */
static int other_stack(struct witness *witness, void *caller)
{
    int count = backtrace(witness->frames, FRAMES_MAX), skipped = 0;
    while (skipped < count && witness->frames[skipped] != caller)
        skipped++;
    memmove(witness->frames, witness->frames + skipped, (size_t)(count - skipped) * sizeof(void *));
    return count - skipped;
}

/* Stands for malloc: has a frame pointer, and calls both. */
__attribute__((noinline)) static void hook(struct chain *chain)
{
    struct witness *witness = chain->context;
    uint32_t node = stack_capture(witness->slot, __builtin_frame_address(0));
    int count = other_stack(witness, __builtin_return_address(0));
    witness->seen++;
    witness->last_node = node;
    if (count > witness->depth_max)
        witness->depth_max = count;
    if (!is_right(witness, node, count) && witness->wrong++ < 3)
        show(witness, node, count);
}

static void run_chains(struct witness *witness, uint64_t seed, unsigned max_depth)
{
    struct chain chain = {.hook = hook, .context = witness};
    chain_prepare(); /* here: the test runner sets handlers of its own before each test */
    for (unsigned round = 0; round < 20; round++) {
        chain.hooks_left = HOOKS / 20;
        chain.max_depth = 5 + round * max_depth / 20;
        chain_run(&chain, seed + round);
    }
}

TEST(random_chains_in_the_main_thread)
{
    struct witness witness = {.slot = make_slot(0, true),
                              .frames = malloc(FRAMES_MAX * sizeof(void *))};
    run_chains(&witness, 1, 60);
    CHECK(witness.seen >= HOOKS && witness.depth_max > 60);
    CHECK(witness.wrong == 0);
    free(witness.frames);
}

static void *run_thread(void *context)
{
    struct witness *witness = context;
    witness->slot = make_slot(witness->index, false);
    run_chains(witness, 1000 * witness->index, 40);
    return NULL;
}

TEST(random_chains_in_several_threads_at_once)
{
    struct witness witnesses[THREADS] = {0};
    pthread_t threads[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        witnesses[i].index = i + 1;
        witnesses[i].frames = malloc(FRAMES_MAX * sizeof(void *));
        CHECK(pthread_create(&threads[i], NULL, run_thread, &witnesses[i]) == 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        free(witnesses[i].frames);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        CHECK(witnesses[i].seen >= HOOKS && witnesses[i].wrong == 0);
}

/* Deeper than what is kept whole: the same frames by the same folding. */
TEST(deep_recursion_is_named_as_its_frames_are)
{
    static const unsigned depths[] = {150, 250, 3000, 1000, 4000, 10,  2999,
                                      200, 600, 3500, 600,  100,  2000};
    struct witness witness = {.slot = make_slot(0, true),
                              .comparison = COMPARE_NAME,
                              .frames = malloc(FRAMES_MAX * sizeof(void *))};
    struct chain chain = {.hook = hook, .context = &witness};
    for (unsigned i = 0; i < sizeof(depths) / sizeof(depths[0]); i++)
        chain_recurse(&chain, depths[i]);
    CHECK(witness.seen == sizeof(depths) / sizeof(depths[0]) && witness.wrong == 0);
    CHECK(witness.depth_max > 4000);
    free(witness.frames);
}

static bool says_folded(uint32_t node)
{
    for (; node >= TRIE_FIRST_NODE; node = arena_node_at(program_side(&arena), node)->parent) {
        if (arena_node_at(program_side(&arena), node)->depth & TRIE_FOLDED)
            return true;
    }
    return node != TRIE_COMPLETE;
}

TEST(deep_stacks_are_whole_or_say_that_they_are_not)
{
    struct witness witness = {.comparison = COMPARE_NOTHING,
                              .frames = malloc(FRAMES_MAX * sizeof(void *))};
    struct chain chain = {.hook = hook, .context = &witness};
    for (unsigned deepest = 1450; deepest < 1500; deepest += 3) {
        unsigned also_at = deepest % 2 ? 0 : deepest - 300; /* something is remembered, or not */
        witness.slot = make_slot(0, true);
        witness.depth_max = 0;
        chain_descend(&chain, deepest, also_at);
        uint32_t node = witness.last_node, depth = 0;
        for (; node >= TRIE_FIRST_NODE; node = arena_node_at(program_side(&arena), node)->parent)
            depth++;
        CHECK(depth == (uint32_t)witness.depth_max || says_folded(witness.last_node));
        CHECK(also_at > 0 || depth == (uint32_t)witness.depth_max);
    }
    free(witness.frames);
}

/* A stack that is too deep to be remembered keeps both its ends. */
TEST(recursion_deeper_than_all_memory_keeps_its_ends)
{
    struct witness witness = {.slot = make_slot(0, true),
                              .comparison = COMPARE_NOTHING,
                              .frames = malloc(FRAMES_MAX * sizeof(void *))};
    struct chain chain = {.hook = hook, .context = &witness};
    chain_recurse(&chain, 15000);
    uint64_t theirs_outer[4] = {0}, ours_outer[4] = {0};
    int count = backtrace(witness.frames, FRAMES_MAX);
    for (int i = 0; i < 3; i++)
        theirs_outer[i] = (uint64_t)witness.frames[count - 1 - i];
    uint32_t node = witness.last_node, total = 0;
    for (; node >= TRIE_FIRST_NODE; node = arena_node_at(program_side(&arena), node)->parent) {
        memmove(ours_outer + 1, ours_outer, 3 * sizeof(uint64_t));
        ours_outer[0] = arena_node_at(program_side(&arena), node)->ip;
        total++;
    }
    CHECK(total > 100 && (node == TRIE_COMPLETE || node == TRIE_TOO_DEEP));
    assert_memory_equal(ours_outer, theirs_outer, 3 * sizeof(uint64_t));
    free(witness.frames);
}

/* --- a process with less rights writes to the slot --- */

#define HOSTILE_SLOT   7u
#define HOSTILE_ROUNDS 600u

/* What may be in the tracer's memory of a thread, and says where to read or write when it is
 * believed. */
static uint64_t hostile_word(unsigned kind, uint64_t *random)
{
    *random = *random * 6364136223846793005ull + 1442695040888963407ull;
    switch (kind % 6) {
    case 0:
        return UINT64_MAX;
    case 1:
        return *random;
    case 2:
        return *random >> 33; /* an index, with zeroes above */
    case 3:
        return (*random >> 52) << 32 | *random >> 52;
    case 4:
        return tracer_self.limits.stack_high - 4; /* across the end */
    default:
        return 0xfffffffefffffffeull;
    }
}

/* All that is not the ring: also what is right is left in some places, or nothing would come so
 * far as to be used. */
static void scribble(struct arena_slot *slot, unsigned kind, uint64_t *random)
{
    uint64_t *words = (uint64_t *)arena_slot_frames(slot),
             *end = (uint64_t *)arena_slot_memory(slot)->children;
    for (uint64_t *word = words; word < end; word += 1 + (*random >> 60))
        *word = hostile_word(kind, random);
    struct kept_tips *tips = &arena_slot_memory(slot)->tips;
    for (uint32_t i = 0; i < TIP_SETS; i++) {
        tips->sets[i].last = (uint32_t)hostile_word(kind, random);
        tips->sets[i].victim = (uint32_t)hostile_word(kind, random);
    }
    for (uint32_t i = 0; i < 1u << CHILDREN_BITS; i += 1 + (*random >> 60)) {
        arena_slot_memory(slot)->children[i].node = (uint32_t)hostile_word(kind, random);
        *random += i;
    }
    for (uint32_t id = TRIE_FIRST_NODE; id < atomic_load(&program_side(&arena)->node_count);
         id += 7) {
        struct trie_node *node = arena_node_at(program_side(&arena), id);
        node->target = (uint32_t)hostile_word(kind, random);
        node->parent = (uint32_t)hostile_word(kind, random);
    }
}

/* One number of every tip; all else is as it was, so that tips are found. */
static void scribble_on_tips(struct arena_slot *slot, unsigned kind, uint64_t *random)
{
    struct kept_tips *tips = &arena_slot_memory(slot)->tips;
    for (uint32_t i = 0; i < TIP_SETS * TIP_WAYS; i++) {
        struct kept_tip *tip = &tips->tips[i / TIP_WAYS][i % TIP_WAYS];
        uint32_t *numbers[] = {&tip->count, &tip->link_count, &tip->join, &tip->above[0]};
        *numbers[kind / 6 % 4] = kind % 2 ? 0 : (uint32_t)hostile_word(kind, random);
    }
}

static void *keep_scribbling(void *context)
{
    uint64_t random = 99;
    for (unsigned kind = 0; !atomic_load((_Atomic int *)context); kind++)
        scribble(arena_slot_at(program_side(&arena), HOSTILE_SLOT), kind, &random);
    return NULL;
}

static bool is_untouched(const struct arena_slot *slot)
{
    const uint64_t *words = (const uint64_t *)slot;
    for (size_t i = 0; i < SLOT_STRIDE / 8; i++) {
        if (words[i])
            return false;
    }
    return true;
}

/* In a process of its own: what it makes of the arena is of no use to the other tests. */
static bool capture_among_scribbles(void)
{
    struct witness witness = {.slot = make_slot(HOSTILE_SLOT, true),
                              .comparison = COMPARE_NOTHING,
                              .frames = malloc(FRAMES_MAX * sizeof(void *))};
    struct chain chain = {.hook = hook, .context = &witness, .max_depth = 30};
    _Atomic int over = 0;
    pthread_t thread;
    uint64_t random = 5;
    chain_prepare();
    for (unsigned round = 0; round < HOSTILE_ROUNDS; round++) {
        chain.hooks_left = 20;
        chain_run(&chain, round);
        scribble_on_tips(witness.slot, round, &random);
        chain.hooks_left = 20;
        chain_run(&chain, round);
        scribble(witness.slot, round, &random);
        if (round == HOSTILE_ROUNDS / 2)
            CHECK(pthread_create(&thread, NULL, keep_scribbling, &over) == 0);
        if (round % 50 == 0)
            chain_recurse(&chain, 5000);
    }
    atomic_store(&over, 1);
    pthread_join(thread, NULL);
    free(witness.frames);
    bool clean = true;
    for (uint32_t i = HOSTILE_SLOT - 1; i <= HOSTILE_SLOT + 4; i++)
        clean &= i == HOSTILE_SLOT || is_untouched(arena_slot_at(program_side(&arena), i));
    return clean;
}

TEST(what_others_write_to_the_slot_leads_nowhere_else)
{
    CHECK(chain_in_child(capture_among_scribbles));
}

static int set_up(void **state)
{
    (void)state;
    if (arena_open(&arena, false, NULL) < 0)
        return -1;
    tracer_process.arena = arena.memory;
    tracer_process.header = program_side(&arena);
    tables_adopt(arena.memory);
    atomic_store(&program_side(&arena)->process_high, 1);
    arena_process_at(program_side(&arena), 0)->pid = (uint32_t)getpid();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_close(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_chains_in_the_main_thread),
        cmocka_unit_test(random_chains_in_several_threads_at_once),
        cmocka_unit_test(deep_recursion_is_named_as_its_frames_are),
        cmocka_unit_test(deep_stacks_are_whole_or_say_that_they_are_not),
        cmocka_unit_test(recursion_deeper_than_all_memory_keeps_its_ends),
        cmocka_unit_test(what_others_write_to_the_slot_leads_nowhere_else),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
