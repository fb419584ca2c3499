/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/stacks/trie.h"

#include <pthread.h>
#include <stdlib.h>

#include "capture/wiped_arena.h"
#include "check.h"
#include "program_side.h"
#include "tracer/stacks/tables.h"
#include "tracer/rings/thread.h"

struct tracer_process tracer_process; /* the tracer's own, of which the trie needs the header */
static struct arena *arena;

static int wipe(void **state)
{
    (void)state;
    arena = wiped_arena();
    tracer_process.header = program_side(arena);
    tables_adopt(arena->memory);
    return 0;
}

static uint32_t node_count(void)
{
    return atomic_load(&program_side(arena)->node_count);
}

static uint32_t push(uint32_t parent, uint64_t ip)
{
    return trie_push(parent, ip, 1);
}

TEST(a_stack_has_one_name)
{
    uint32_t outer = push(TRIE_COMPLETE, 0x1000), inner = push(outer, 0x2000);
    struct trie_node *node = arena_node_at(program_side(arena), inner);
    CHECK(outer >= TRIE_FIRST_NODE && inner > outer);
    CHECK(push(TRIE_COMPLETE, 0x1000) == outer && push(outer, 0x2000) == inner);
    CHECK(node->ip == 0x2000 && node->parent == outer && node->module == 1 && node->depth == 1);
    CHECK(arena_node_at(program_side(arena), outer)->parent == TRIE_COMPLETE);
    CHECK(arena_node_at(program_side(arena), outer)->depth == 0);
    CHECK(node_count() == TRIE_FIRST_NODE + 2);
    /* every part of the key counts */
    CHECK(push(inner, 0x2000) != inner);
    CHECK(push(outer, 0x2001) != inner);
    CHECK(push(TRIE_NO_RULE, 0x1000) != outer);
    CHECK(trie_push(outer, 0x2000, 2) != inner);
    CHECK(node_count() == TRIE_FIRST_NODE + 6);
}

/* Frames of `node` from the inner end; how many. */
static unsigned unfold(uint32_t node, uint64_t *ips, unsigned room)
{
    unsigned count = 0;
    for (; node >= TRIE_FIRST_NODE && count < room;
         node = arena_node_at(program_side(arena), node)->parent)
        ips[count++] = arena_node_at(program_side(arena), node)->ip;
    return count;
}

static bool is_folded(uint32_t node)
{
    for (; node >= TRIE_FIRST_NODE; node = arena_node_at(program_side(arena), node)->parent) {
        if (arena_node_at(program_side(arena), node)->depth & TRIE_FOLDED)
            return true;
    }
    return false;
}

static uint32_t module_one(uint64_t ret)
{
    (void)ret;
    return 1;
}

TEST(frames_in_a_row_are_the_frames_one_by_one)
{
    uint64_t ret[] = {0x5000, 0x4000, 0x3000, 0x2000}, ips[8];
    uint32_t outer = push(TRIE_COMPLETE, 0x1000), node = trie_append(outer, ret, 4, module_one);
    CHECK(node_count() == TRIE_FIRST_NODE + 5);
    CHECK(unfold(node, ips, 8) == 5 && ips[0] == 0x5000 && ips[3] == 0x2000 && ips[4] == 0x1000);
    const struct trie_node *inner = arena_node_at(program_side(arena), node);
    CHECK(inner->target == node && inner->depth == 4 && inner->module == 1);
    /* a root is a place to begin, the full table is none */
    CHECK(unfold(trie_append(TRIE_COMPLETE, ret, 4, module_one), ips, 8) == 4);
    CHECK(trie_append(TRIE_FULL, ret, 4, module_one) == TRIE_FULL);
    CHECK(trie_append(ARENA_NODES - 1, ret, 1, module_one) != TRIE_NONE);
}

TEST(deep_frames_in_a_row_are_folded_as_one_by_one)
{
    uint64_t ret[1000], ips[1000], others[1000];
    for (unsigned i = 0; i < 1000; i++)
        ret[i] = 0x1000 + i % 3;
    uint32_t const node = trie_append(TRIE_COMPLETE, ret, 1000, module_one);
    uint32_t twin = TRIE_COMPLETE;
    for (unsigned i = 1000; i-- > 0;)
        twin = push(twin, ret[i]);
    unsigned const count = unfold(node, ips, 1000);
    CHECK(is_folded(node) && count < 300 && unfold(twin, others, 1000) == count);
    for (unsigned i = 0; i < count; i++)
        CHECK(ips[i] == others[i]);
}

TEST(frames_in_a_row_are_shared_when_nodes_get_few)
{
    uint64_t ret[] = {0x3000, 0x2000, 0x1000};
    atomic_store(&program_side(arena)->node_count, ARENA_NODES / 2 + 1);
    uint32_t const node = trie_append(TRIE_COMPLETE, ret, 3, module_one);
    CHECK(node >= TRIE_FIRST_NODE && trie_append(TRIE_COMPLETE, ret, 3, module_one) == node);
    CHECK(node_count() == ARENA_NODES / 2 + 4);
    atomic_store(&program_side(arena)->node_count, ARENA_NODES - 2);
    ret[2]++;
    CHECK(trie_append(TRIE_COMPLETE, ret, 3, module_one) == TRIE_FULL);
    CHECK(node_count() <= ARENA_NODES);
}

/* main, then `rounds` rounds of a cycle, then a leaf. */
static uint32_t push_recursion(unsigned cycle, unsigned rounds, uint64_t base)
{
    uint32_t node = push(TRIE_COMPLETE, base + 0xa);
    for (unsigned i = 0; i < rounds * cycle; i++)
        node = push(node, base + 0x100 + i % cycle);
    return push(node, base + 0xb);
}

TEST(shallow_recursion_is_kept_as_it_is)
{
    uint64_t ips[400];
    uint32_t node = push_recursion(1, 150, 0x10000);
    CHECK(unfold(node, ips, 400) == 152 && !is_folded(node));
    CHECK(push_recursion(1, 149, 0x10000) != node);
}

TEST(deep_recursion_is_folded_but_loses_neither_end)
{
    static const unsigned cycles[] = {1, 2, 3, 7, 24};
    uint64_t ips[1000];
    for (unsigned c = 0; c < sizeof(cycles) / sizeof(cycles[0]); c++) {
        unsigned cycle = cycles[c];
        uint64_t base = 0x100000 * (c + 1);
        uint32_t before = node_count();
        uint32_t node = push_recursion(cycle, 100000 / cycle, base);
        unsigned count = unfold(node, ips, 1000);
        CHECK(node_count() - before < 400);
        CHECK(count > 150 && count < 300 && is_folded(node));
        CHECK(ips[0] == base + 0xb && ips[count - 1] == base + 0xa);
        for (unsigned i = 1; i + 1 < count; i++) /* what is left is the cycle, whole */
            CHECK(ips[i] == base + 0x100 + (count - 2 - i) % cycle);
        /* a round more or less is the same stack, and costs nothing */
        before = node_count();
        CHECK(push_recursion(cycle, 100000 / cycle, base) == node);
        CHECK(push_recursion(cycle, 100000 / cycle - 1, base) == node);
        CHECK(node_count() == before);
        /* where in the cycle it ended is not lost */
        if (cycle > 1) {
            uint32_t at = push(TRIE_COMPLETE, base + 0xa);
            for (unsigned i = 0; i < 100000 / cycle * cycle + 1; i++)
                at = push(at, base + 0x100 + i % cycle);
            CHECK(push(at, base + 0xb) != node);
        }
    }
}

TEST(what_is_deep_without_a_cycle_is_kept_whole)
{
    uint64_t ips[1100];
    uint32_t node = TRIE_COMPLETE;
    for (unsigned i = 0; i < 1000; i++)
        node = push(node, 0x9000000 + i);
    CHECK(unfold(node, ips, 1100) == 1000 && !is_folded(node));
    CHECK(arena_node_at(program_side(arena), node)->depth == 999);
}

#define THREADS 4
#define PATHS   20000u

static void *push_paths(void *context)
{
    uint32_t *ids = context;
    uint64_t seed = 12345; /* all push the same, at the same time */
    for (unsigned i = 0; i < PATHS; i++) {
        uint32_t node = TRIE_COMPLETE;
        for (unsigned depth = 0; depth < 12; depth++) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            node = push(node, 0x400000 + (seed >> 33) % (depth < 6 ? 3 : 40));
        }
        ids[i] = node;
    }
    return NULL;
}

TEST(threads_agree_on_the_names)
{
    static uint32_t ids[THREADS][PATHS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, push_paths, ids[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < PATHS; i++) {
        uint64_t ips[16];
        CHECK(ids[0][i] >= TRIE_FIRST_NODE && unfold(ids[0][i], ips, 16) == 12);
        for (int t = 1; t < THREADS; t++)
            CHECK(ids[t][i] == ids[0][i]);
    }
    uint32_t before = node_count();
    uint32_t *again = malloc(PATHS * sizeof(*again));
    push_paths(again); /* and what was agreed on stays */
    assert_memory_equal(again, ids[0], PATHS * sizeof(*again));
    CHECK(node_count() == before);
    free(again);
}

TEST(a_full_table_still_finds_what_it_has)
{
    uint32_t known = push(push(TRIE_COMPLETE, 1), 2);
    atomic_store(&program_side(arena)->node_count, ARENA_NODES - 2);
    uint32_t last = push(known, 3);
    CHECK(last == ARENA_NODES - 2 && push(known, 4) == ARENA_NODES - 1);
    for (unsigned i = 0; i < 1000; i++)
        CHECK(push(known, 1000 + i) == TRIE_FULL);
    CHECK(node_count() == ARENA_NODES);
    CHECK(push(push(TRIE_COMPLETE, 1), 2) == known && push(known, 3) == last);
    CHECK(push(TRIE_FULL, 1) == TRIE_FULL);
}

TEST(a_full_index_is_told_as_a_full_table)
{
    uint32_t known = push(TRIE_COMPLETE, 1);
    for (unsigned level = 0; level < TRIE_LEVELS; level++) {
        for (uint64_t i = 0; i < 1ull << TRIE_LEVEL_BITS(level); i++) {
            uint32_t nobody = 0;
            atomic_compare_exchange_strong(arena_index_level(arena->memory, level) + i, &nobody,
                                           known + 1);
        }
    }
    uint32_t before = node_count();
    CHECK(push(TRIE_COMPLETE, 1) == known);
    CHECK(push(TRIE_COMPLETE, 2) == TRIE_FULL && push(known, 1) == TRIE_FULL);
    CHECK(node_count() == before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_stack_has_one_name, wipe),
        cmocka_unit_test_setup(frames_in_a_row_are_the_frames_one_by_one, wipe),
        cmocka_unit_test_setup(deep_frames_in_a_row_are_folded_as_one_by_one, wipe),
        cmocka_unit_test_setup(frames_in_a_row_are_shared_when_nodes_get_few, wipe),
        cmocka_unit_test_setup(shallow_recursion_is_kept_as_it_is, wipe),
        cmocka_unit_test_setup(deep_recursion_is_folded_but_loses_neither_end, wipe),
        cmocka_unit_test_setup(what_is_deep_without_a_cycle_is_kept_whole, wipe),
        cmocka_unit_test_setup(threads_agree_on_the_names, wipe),
        cmocka_unit_test_setup(a_full_table_still_finds_what_it_has, wipe),
        cmocka_unit_test_setup(a_full_index_is_told_as_a_full_table, wipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
