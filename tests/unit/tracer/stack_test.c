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

/* --- a few call paths that part near the root --- */

/* With a sanitizer all frames begin at a frame pointer: too many of them for a tip to rest on. */
#if defined(__SANITIZE_ADDRESS__)
#define PATHS_FIT 0
#else
#define PATHS_FIT 1
#endif

#define PATHS       4u
#define PATH_FRAMES 40u

/* Every second path is the one before it but for one frame, a twin of what is there.  Mostly plain
 * frames: a tip rests on a few saved frame pointers only. */
static void plant(struct chain *dice, uint8_t paths[PATHS][PATH_FRAMES + 1])
{
    for (unsigned i = 0; i < PATHS; i++) {
        for (unsigned at = 0; at < PATH_FRAMES; at++)
            paths[i][at] = i % 2 ? paths[i - 1][at]
                                 : (uint8_t)chain_draw(dice, at % 4 ? CHAIN_PLAIN : CHAIN_HUGE);
        if (i % 2 == 0)
            paths[i][i * 4] = 0;
        else
            paths[i][i * 4 - 4] = 1;
        paths[i][PATH_FRAMES] = CHAIN_BRANCHES;
    }
}

TEST(few_long_paths_are_told_apart_and_not_walked)
{
    struct witness witness = {.slot = make_slot(0, true),
                              .frames = malloc(FRAMES_MAX * sizeof(void *))};
    struct chain chain = {.hook = hook, .context = &witness, .random = 88172645463325252u};
    uint8_t paths[PATHS][PATH_FRAMES + 1];
    plant(&chain, paths);
    uint32_t const before = arena_slot_memory(witness.slot)->last.walks;
    for (unsigned i = 0; i < 3000; i++)
        chain_follow(&chain, paths[chain_draw(&chain, PATHS)]);
    CHECK(witness.seen == 3000 && witness.wrong == 0);
    CHECK(!PATHS_FIT || arena_slot_memory(witness.slot)->last.walks - before < 300);
    free(witness.frames);
}

/* The slow walk knows these as well; nothing is left to it. */
TEST(frames_of_any_kind_are_stepped_over_fast)
{
    static const uint8_t paths[][8] = {
        {CHAIN_HUGE, CHAIN_BRANCHES},
        {0, CHAIN_BY_FP, CHAIN_HUGE, 2, 5, CHAIN_BRANCHES},
        {CHAIN_BY_FP, CHAIN_HUGE, 6, CHAIN_HUGE, 0, CHAIN_BRANCHES},
        {0, CHAIN_BY_FP, CHAIN_SAVING, 2, 5, CHAIN_SAVING, CHAIN_BRANCHES},
        {CHAIN_BY_FP, CHAIN_SAVING, 0, 0, CHAIN_SAVING, 1, CHAIN_BRANCHES},
        {CHAIN_BY_FP, CHAIN_BY_FP, CHAIN_BY_FP, 3, CHAIN_BY_FP, CHAIN_BY_FP, CHAIN_BRANCHES},
        {2, CHAIN_BY_FP, CHAIN_BY_FP, CHAIN_SAVING, CHAIN_BY_FP, CHAIN_HUGE, CHAIN_BRANCHES},
    };
    struct witness witness = {.slot = make_slot(0, true),
                              .frames = malloc(FRAMES_MAX * sizeof(void *))};
    struct chain chain = {.hook = hook, .context = &witness};
    for (unsigned i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        uint32_t const before = arena_slot_memory(witness.slot)->last.walks;
        chain_follow(&chain, paths[i]);
        CHECK(arena_slot_memory(witness.slot)->last.walks == before + 1);
    }
    CHECK(witness.wrong == 0);
    free(witness.frames);
}

TEST(rules_of_addresses_with_one_place_are_told_apart)
{
    uint64_t const ret = 0x7f0123456789, rule = rule_make(RULE_SP, 48, 2, 0);
    uint64_t const cover = near_cover(), word = near_uncover(rule, cover, ret);
    CHECK(near_uncover(word, cover, ret) == rule && near_common_words(word) == 6);
    for (unsigned bit = 0; bit < 48; bit++) {
        uint64_t const other = ret ^ 1ull << bit;
        bool const may_meet = near_place(other) == near_place(ret) ||
                              near_place(other) == (near_place(ret) ^ NEAR_OTHER);
        CHECK(!may_meet || near_uncover(word, cover, other) >> RULE_BITS != 0);
        CHECK(near_uncover(0, cover, other) >> RULE_BITS != 0);
    }
    for (uint64_t older = 1; older <= NEAR_GENERATION; older++)
        CHECK(near_uncover(word, cover ^ older << RULE_BITS, ret) >> RULE_BITS != 0);
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
    for (uint32_t i = 0; i < (TIP_SETS + LONG_SETS) * TIP_WAYS; i++) {
        uint32_t const set = i / TIP_WAYS;
        struct tip_view const tip = set < TIP_SETS
                                        ? tip_at(tips, set, i % TIP_WAYS, TIP_SHORT)
                                        : tip_at(tips, set - TIP_SETS, i % TIP_WAYS, TIP_LONG);
        uint32_t *numbers[] = {&tip.head->count, &tip.head->link_count, &tip.head->join,
                               &tip.above[0]};
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
        cmocka_unit_test(few_long_paths_are_told_apart_and_not_walked),
        cmocka_unit_test(frames_of_any_kind_are_stepped_over_fast),
        cmocka_unit_test(rules_of_addresses_with_one_place_are_told_apart),
        cmocka_unit_test(random_chains_in_several_threads_at_once),
        cmocka_unit_test(deep_recursion_is_named_as_its_frames_are),
        cmocka_unit_test(deep_stacks_are_whole_or_say_that_they_are_not),
        cmocka_unit_test(recursion_deeper_than_all_memory_keeps_its_ends),
        cmocka_unit_test(what_others_write_to_the_slot_leads_nowhere_else),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
