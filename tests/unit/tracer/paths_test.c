/* SPDX-License-Identifier: Apache-2.0 */
/* paths_test.c - the table of paths against a plain list, and what is found there against the
 * frames of the trie. */
#include "tracer/stacks/paths.h"

#include <pthread.h>
#include <stdlib.h>

#include "capture/wiped_arena.h"
#include "check.h"
#include "program_side.h"
#include "random.h"
#include "tracer/rings/thread.h"
#include "tracer/stacks/tables.h"
#include "tracer/stacks/trie.h"
#include "tracer/stacks/whole_hash.h"

#define PATHS   20000u
#define FRAMES  12u
#define THREADS 4

struct tracer_process tracer_process;
static struct arena *arena;

static int wipe(void **state)
{
    (void)state;
    arena = wiped_arena();
    tracer_process.header = program_side(arena);
    tables_adopt(arena->memory);
    return 0;
}

static uint32_t module_one(uint64_t ret)
{
    (void)ret;
    return 1;
}

struct made_path {
    uint64_t ret[FRAMES];
    struct walked_path path;
    uint32_t node;
};

/* `kind` 1: hashes that fall into few lines; 2: a few hashes for all. */
static void make(struct made_path *made, struct random *random, unsigned kind)
{
    uint64_t const hash = random_next(random);
    for (unsigned i = 0; i < FRAMES; i++)
        made->ret[i] = 0x400000 + random_below(random, 1u << 30);
    made->path = (struct walked_path){.ret = made->ret,
                                      .count = 1 + (uint32_t)random_below(random, FRAMES),
                                      .hash = kind == 2   ? hash % 7
                                              : kind == 1 ? hash << 54 | hash % 97
                                                          : hash};
    made->node = trie_append(TRIE_COMPLETE, made->ret, made->path.count, module_one);
    CHECK(made->node >= TRIE_FIRST_NODE);
}

static struct made_path *make_all(unsigned kind)
{
    struct random random = random_from(31 + kind);
    struct made_path *made = calloc(PATHS, sizeof(*made));
    for (unsigned i = 0; i < PATHS; i++)
        make(&made[i], &random, kind);
    return made;
}

/* How many of the paths are found; whatever is found and believed is right. */
static unsigned count_found(const struct made_path *made)
{
    unsigned found = 0;
    for (unsigned i = 0; i < PATHS; i++) {
        uint32_t const node = paths_find(&made[i].path);
        bool const is_believed = node != TRIE_NONE && path_is(&made[i].path, node);
        CHECK(!is_believed || node == made[i].node);
        found += is_believed;
    }
    return found;
}

TEST(what_is_kept_is_found_again)
{
    struct made_path *made = make_all(0);
    unsigned before = count_found(made);
    CHECK(before == 0);
    for (unsigned i = 0; i < PATHS; i++)
        paths_keep(&made[i].path, made[i].node);
    /* There is room for six times as many, but a line may be crowded. */
    CHECK(count_found(made) > PATHS - PATHS / 1000);
    free(made);
}

TEST(a_crowded_line_forgets_and_never_mixes_up)
{
    for (unsigned kind = 1; kind <= 2; kind++) {
        struct made_path *made = make_all(kind);
        for (unsigned i = 0; i < PATHS; i++)
            paths_keep(&made[i].path, made[i].node);
        CHECK(count_found(made) < PATHS);
        /* the one that came last was not given up for nothing */
        uint32_t const last = paths_find(&made[PATHS - 1].path);
        CHECK(last == made[PATHS - 1].node);
        free(made);
    }
}

TEST(every_part_of_a_path_counts)
{
    struct random random = random_from(5);
    struct made_path made;
    make(&made, &random, 0);
    made.path.count = FRAMES;
    made.node = trie_append(TRIE_COMPLETE, made.ret, FRAMES, module_one);
    CHECK(path_is(&made.path, made.node));
    for (unsigned i = 0; i < FRAMES; i++) {
        made.ret[i] ^= 1;
        CHECK(!path_is(&made.path, made.node));
        made.ret[i] ^= 1;
    }
    struct walked_path other = made.path;
    other.count--;
    CHECK(!path_is(&other, made.node));
    CHECK(!path_is(&made.path, TRIE_FULL) && !path_is(&made.path, ARENA_NODES - 1));
}

/* The outer frames may be the trunk's, which has a row of nodes of its own or shares the outermost
 * ones. */
TEST(frames_of_the_trunk_count_as_well)
{
    static struct kept_frames trunk;
    struct random random = random_from(6);
    struct made_path made;
    make(&made, &random, 0);
    made.node = trie_append(TRIE_COMPLETE, made.ret, FRAMES, module_one);
    for (uint32_t join = 1; join < FRAMES; join++) {
        struct walked_path path = {
            .ret = made.ret, .count = FRAMES - join, .join = join, .trunk = &trunk};
        uint32_t node = TRIE_COMPLETE;
        for (uint32_t i = 0; i < join; i++) {
            trunk.ret[i] = made.ret[FRAMES - 1 - i];
            node = trie_append(node, &trunk.ret[i], 1, module_one);
            trunk.node[i] = node | (i % 2 ? KEPT_NEEDS_FP : 0);
        }
        uint32_t const on_trunk = trie_append(node, made.ret, path.count, module_one);
        CHECK(path_is(&path, made.node) && path_is(&path, on_trunk));
        for (uint32_t i = 0; i < join; i++) {
            trunk.ret[i] ^= 1;
            CHECK(!path_is(&path, made.node));
            trunk.ret[i] ^= 1;
        }
        made.ret[0] ^= 1;
        CHECK(!path_is(&path, made.node) && !path_is(&path, on_trunk));
        made.ret[0] ^= 1;
    }
}

/* Wherever a walk meets the trunk, the stack has the same hash, and no other has it. */
TEST(the_hash_is_of_the_whole_stack_wherever_it_is_joined)
{
    struct random random = random_from(7);
    uint64_t ret[64];
    for (unsigned round = 0; round < 200; round++) {
        uint32_t const count = 1 + (uint32_t)random_below(&random, 64);
        for (uint32_t i = 0; i < count; i++)
            ret[i] = round % 3 ? 0x400000 + random_below(&random, 8) * 16 : ~0ull >> 16;
        uint64_t expected = 0;
        for (uint32_t join = 0; join <= count; join++) {
            struct whole_outer outer = WHOLE_NOTHING;
            uint64_t walked = 0;
            for (uint32_t i = 0; i < join; i++)
                outer = whole_inward(outer, ret[count - 1 - i]);
            for (uint32_t i = 0; i < count - join; i++)
                walked = whole_outward(walked, ret[i]);
            uint64_t const hash = whole_join(outer, walked);
            CHECK(hash < WHOLE_PRIME && (join == 0 || hash == expected));
            expected = hash;
        }
        uint32_t const other = (uint32_t)random_below(&random, count);
        ret[other] ^= 16;
        uint64_t walked = 0;
        for (uint32_t i = 0; i < count; i++)
            walked = whole_outward(walked, ret[i]);
        CHECK(whole_join(WHOLE_NOTHING, walked) != expected);
    }
}

/* Two calls in turn, and the same with the two changed for each other, in the order in which powers
 * of two would hide it. */
TEST(stacks_that_are_mirrors_of_each_other_are_told_apart)
{
    uint64_t one = 0, other = 0;
    for (unsigned i = 0; i < 4096; i++) {
        bool const turned = __builtin_popcount(i) % 2;
        one = whole_outward(one, turned ? 0x401000 : 0x402000);
        other = whole_outward(other, turned ? 0x402000 : 0x401000);
    }
    CHECK(whole_join(WHOLE_NOTHING, one) != whole_join(WHOLE_NOTHING, other));
}

struct keeper {
    const struct made_path *made;
    unsigned wrong;
};

static void *keep_and_find(void *context)
{
    struct keeper *keeper = context;
    struct random random = random_from((uint64_t)(uintptr_t)keeper);
    for (unsigned i = 0; i < 300000; i++) {
        const struct made_path *made = &keeper->made[random_below(&random, PATHS)];
        uint32_t const node = paths_find(&made->path);
        if (node == TRIE_NONE)
            paths_keep(&made->path, made->node);
        else
            keeper->wrong += path_is(&made->path, node) && node != made->node;
    }
    return NULL;
}

TEST(threads_that_crowd_one_line_see_nothing_torn)
{
    struct made_path *made = make_all(1);
    struct keeper keepers[THREADS];
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        keepers[i] = (struct keeper){made, 0};
        CHECK(pthread_create(&threads[i], NULL, keep_and_find, &keepers[i]) == 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(keepers[i].wrong == 0);
    }
    free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_is_kept_is_found_again, wipe),
        cmocka_unit_test_setup(a_crowded_line_forgets_and_never_mixes_up, wipe),
        cmocka_unit_test_setup(every_part_of_a_path_counts, wipe),
        cmocka_unit_test_setup(frames_of_the_trunk_count_as_well, wipe),
        cmocka_unit_test(the_hash_is_of_the_whole_stack_wherever_it_is_joined),
        cmocka_unit_test(stacks_that_are_mirrors_of_each_other_are_told_apart),
        cmocka_unit_test_setup(threads_that_crowd_one_line_see_nothing_torn, wipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
