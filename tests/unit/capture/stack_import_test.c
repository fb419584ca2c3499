/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/books/stack_import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "procfs/process/process_facts.h"
#include "program_side.h"
#include "wiped_arena.h"

#define MANY_IMPORTS 12

static struct arena *arena;
static struct recording *recording;
static struct stack_import *import;

static int set_up(void **state)
{
    (void)state;
    arena = wiped_arena();
    recording = recording_create();
    import = stack_import_create(arena, recording);
    return import ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    stack_import_destroy(import);
    recording_destroy(recording);
    return 0;
}

/* Nodes as the tracer makes them. */
static uint32_t add_node(uint32_t parent, uint64_t ip, uint32_t module)
{
    uint32_t id = atomic_fetch_add(&program_side(arena)->node_count, 1);
    struct trie_node *node = arena_node_at(program_side(arena), id);
    *node = (struct trie_node){.ip = ip, .parent = parent, .module = module, .target = id};
    if (parent >= TRIE_FIRST_NODE)
        node->depth = arena_node_at(program_side(arena), parent)->depth + 1;
    return id;
}

static void add_module(uint32_t index, const char *path, uint64_t bias)
{
    struct arena_module *module = arena_module_at(program_side(arena), index);
    memcpy(module->path, path, strlen(path) + 1);
    module->bias = bias;
    module->start = bias;
    module->end = bias + 0x10000;
    memcpy(module->build_id, "\x01\xab\xff", 3);
    module->build_id_size = 3;
    atomic_store(&module->state, MODULE_READY);
    atomic_store(&program_side(arena)->module_high, index + 1);
}

static uint32_t site_of(uint32_t node)
{
    uint32_t site = 12345;
    CHECK(stack_import_site(import, node, &site) == 0);
    CHECK(site < stack_import_site_count(import));
    return site;
}

static const struct frame *frame_of(stack_id stack)
{
    return &recording->frames.items[stack_table_innermost(recording->stacks, stack).frame];
}

TEST(stacks_arrive_with_modules_and_addresses)
{
    add_module(1, "/bin/program", 0x400000);
    add_module(2, "/lib/library.so", 0x7f0000000000);
    uint32_t outer = add_node(TRIE_COMPLETE, 0x401001, 1);
    uint32_t inner = add_node(outer, 0x7f0000000123, 2), nowhere = add_node(inner, 0x999, 0);
    uint32_t site = site_of(nowhere);
    const struct imported_site *seen = stack_import_describe(import, site);
    CHECK(seen->end == STACK_END_COMPLETE && !seen->folded);

    const struct frame *frame = frame_of(seen->stack);
    CHECK(frame->module == MODULE_NONE && frame->address == 0x998); /* the call, not the return */
    stack_id caller = stack_table_innermost(recording->stacks, seen->stack).caller;
    frame = frame_of(caller);
    CHECK(frame->address == 0x122);
    const struct module *module = &recording->modules.items[frame->module];
    assert_string_equal(recording_text(recording, module->path), "/lib/library.so");
    assert_string_equal(recording_text(recording, module->build_id), "01abff");
    CHECK(module->bias == 0x7f0000000000 && module->end == 0x7f0000010000);
    caller = stack_table_innermost(recording->stacks, caller).caller;
    CHECK(frame_of(caller)->address == 0x1000);
    CHECK(stack_table_innermost(recording->stacks, caller).caller == STACK_EMPTY);

    CHECK(site_of(nowhere) == site && stack_import_site_count(import) == 1);
    CHECK(stack_import_describe(import, site_of(inner))->stack ==
          stack_table_innermost(recording->stacks, stack_import_describe(import, site)->stack)
              .caller);
    CHECK(recording->modules.count == 2 && recording->frames.count == 3);
}

TEST(the_same_frame_is_kept_once)
{
    add_module(1, "/bin/program", 0x400000);
    for (uint32_t i = 0; i < 5000; i++) {
        uint32_t node = add_node(TRIE_COMPLETE, 0x401000 + i % 100, 1);
        site_of(add_node(node, 0x402000 + i % 50, 1));
    }
    CHECK(recording->frames.count == 150 && recording->modules.count == 1);
    CHECK(stack_import_site_count(import) == 5000);
}

TEST(the_ends_of_walks_are_told)
{
    static const struct {
        uint32_t root;
        enum stack_end end;
    } ends[] = {{TRIE_COMPLETE, STACK_END_COMPLETE},   {TRIE_NO_RULE, STACK_END_NO_RULE},
                {TRIE_BAD_FRAME, STACK_END_BAD_FRAME}, {TRIE_TOO_DEEP, STACK_END_TOO_DEEP},
                {TRIE_FULL, STACK_END_TABLE_FULL},     {TRIE_NONE, STACK_END_TABLE_FULL}};
    for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        uint32_t node = add_node(add_node(ends[i].root, 0x10 + i, 0), 0x20 + i, 0);
        CHECK(stack_import_describe(import, site_of(node))->end == ends[i].end);
        const struct imported_site *bare = stack_import_describe(import, site_of(ends[i].root));
        CHECK(bare->end == ends[i].end && bare->stack == STACK_EMPTY);
    }
    uint32_t folded = add_node(TRIE_COMPLETE, 0x100, 0), inner = add_node(folded, 0x101, 0);
    arena_node_at(program_side(arena), folded)->depth |= TRIE_FOLDED;
    CHECK(stack_import_describe(import, site_of(inner))->folded);
}

TEST(a_deep_stack_is_whole)
{
    uint32_t node = TRIE_COMPLETE, depth = 0;
    for (uint64_t i = 0; i < 6000; i++)
        node = add_node(node, 0x1000 + i, 0);
    const struct imported_site *site = stack_import_describe(import, site_of(node));
    CHECK(site->end == STACK_END_COMPLETE);
    for (stack_id at = site->stack; at != STACK_EMPTY;
         at = stack_table_innermost(recording->stacks, at).caller)
        depth++;
    CHECK(depth == 6000);
}

/* A chain that no tracer makes: each of its nodes is a site, and none may cost a walk through
 * all of it. */
TEST(a_chain_without_end_is_cut)
{
    uint32_t node = TRIE_COMPLETE, depth = 0;
    for (uint64_t i = 0; i < 20000; i++)
        node = add_node(node, 0x1000 + i, 0);
    const struct imported_site *site = stack_import_describe(import, site_of(node));
    CHECK(site->end == STACK_END_TOO_DEEP);
    for (stack_id at = site->stack; at != STACK_EMPTY;
         at = stack_table_innermost(recording->stacks, at).caller)
        depth++;
    CHECK(depth == 8192);
}

TEST(what_is_repeated_under_names_is_bounded)
{
    uint32_t node = TRIE_COMPLETE, plain, site, without = 0;
    for (uint64_t i = 0; i < 8192; i++)
        node = add_node(node, 0x1000 + i, 0);
    plain = site_of(node);
    for (unsigned i = 0; i < 1200; i++) {
        char name[16];
        snprintf(name, sizeof(name), "n%u", i);
        CHECK(stack_import_site_under(import, node, recording_intern(recording, name), &site) == 0);
        without += site == plain;
    }
    CHECK(without >= 100 && without < 1100);
    CHECK(stack_table_count(recording->stacks) < 3u << 20);
    /* those that were made stay what they are */
    CHECK(stack_import_site_under(import, node, recording_intern(recording, "n0"), &site) == 0);
    CHECK(site != plain);
}

/* The arena belongs to the program too, and programs write where they should not. */
static int64_t own_bytes(void)
{
    return process_memory((uint32_t)getpid()).anon_bytes;
}

/* As of many processes of a tree, which share the nodes. */
TEST(a_high_node_costs_no_more_than_a_low_one)
{
    struct stack_import *imports[MANY_IMPORTS];
    uint32_t site;
    atomic_store(&program_side(arena)->node_count, ARENA_NODES);
    *arena_node_at(program_side(arena), ARENA_NODES - 1) =
        (struct trie_node){.ip = 0x401001, .parent = TRIE_COMPLETE, .target = ARENA_NODES - 1};
    int64_t const before = own_bytes();
    for (unsigned i = 0; i < MANY_IMPORTS; i++) {
        imports[i] = stack_import_create(arena, recording);
        CHECK(stack_import_site(imports[i], ARENA_NODES - 1, &site) == 0);
    }
    CHECK(own_bytes() - before < MANY_IMPORTS * (1 << 20));
    for (unsigned i = 0; i < MANY_IMPORTS; i++)
        stack_import_destroy(imports[i]);
}

TEST(stacks_beyond_a_million_are_not_kept)
{
    uint32_t const first = add_node(TRIE_COMPLETE, 0x401001, 0), site = site_of(first);
    uint32_t last = first;
    for (uint32_t i = 0; i < 5u << 18; i++)
        site_of(last = add_node(TRIE_COMPLETE, 0x401001 + i % 1000, 0));
    CHECK(stack_import_site_count(import) <= (1u << 20) + 1);
    CHECK(stack_import_describe(import, site_of(last))->end == STACK_END_TABLE_FULL);
    CHECK(site_of(first) == site);
    CHECK(stack_import_describe(import, site)->end == STACK_END_COMPLETE);
}

static uint32_t sampled_site_of(uint32_t node, uint64_t rate)
{
    uint32_t site = 12345;
    CHECK(stack_import_sampled_site(import, node, rate, &site) == 0);
    CHECK(stack_import_describe(import, site)->rate == rate);
    return site;
}

TEST(a_rate_that_comes_back_has_its_sites_still)
{
    uint32_t const node = add_node(TRIE_COMPLETE, 0x401001, 0);
    uint32_t const coarse = sampled_site_of(node, 1 << 20), fine = sampled_site_of(node, 4096);
    CHECK(coarse != fine);
    for (unsigned i = 0; i < 100; i++)
        CHECK(sampled_site_of(node, 1 << 20) == coarse && sampled_site_of(node, 4096) == fine);
    CHECK(stack_import_site_count(import) == 3);
}

TEST(rates_that_nobody_can_have_asked_for_make_no_sites)
{
    uint32_t const node = add_node(TRIE_COMPLETE, 0x401001, 0);
    uint32_t site;
    for (uint64_t rate = 1; rate < 100000; rate++)
        (void)stack_import_sampled_site(import, node, 512 * rate, &site);
    CHECK(stack_import_site_count(import) < 100);
    sampled_site_of(node, 512); /* those that were are there */
}

TEST(scribbled_nodes_are_survived)
{
    uint32_t good = add_node(TRIE_COMPLETE, 0x1000, 0);
    uint32_t itself = add_node(good, 0x2000, 0), far = add_node(good, 0x3000, 0);
    uint32_t first = add_node(good, 0x4000, 0), second = add_node(first, 0x5000, 0);
    uint32_t module = add_node(good, 0x6000, 0xffffffff), reserved = add_node(7, 0x7000, 0);
    arena_node_at(program_side(arena), itself)->parent = itself;
    arena_node_at(program_side(arena), far)->parent = 0xffffffff;
    arena_node_at(program_side(arena), first)->parent = second;
    CHECK(stack_import_describe(import, site_of(itself))->end != STACK_END_COMPLETE);
    CHECK(stack_import_describe(import, site_of(far))->end != STACK_END_COMPLETE);
    CHECK(stack_import_describe(import, site_of(second))->end != STACK_END_COMPLETE);
    CHECK(stack_import_describe(import, site_of(first))->end != STACK_END_COMPLETE);
    CHECK(stack_import_describe(import, site_of(reserved))->end < STACK_END_KINDS);
    CHECK(frame_of(stack_import_describe(import, site_of(module))->stack)->module == MODULE_NONE);
    /* nodes that were never made */
    CHECK(stack_import_describe(import, site_of(reserved + 1))->end == STACK_END_TABLE_FULL);
    CHECK(stack_import_describe(import, site_of(ARENA_NODES))->end == STACK_END_TABLE_FULL);
    CHECK(stack_import_describe(import, site_of(UINT32_MAX))->end == STACK_END_TABLE_FULL);
    atomic_store(&program_side(arena)->node_count, UINT32_MAX); /* a count that cannot be */
    CHECK(stack_import_describe(import, site_of(ARENA_NODES))->end == STACK_END_TABLE_FULL);
    CHECK(stack_import_describe(import, site_of(UINT32_MAX))->end == STACK_END_TABLE_FULL);
    CHECK(stack_import_describe(import, site_of(good))->end == STACK_END_COMPLETE);
}

TEST(scribbled_modules_are_survived)
{
    add_module(1, "/bin/program", 0x400000);
    struct arena_module *module = arena_module_at(program_side(arena), 1);
    memset(module->path, 'x', sizeof(module->path)); /* no end */
    module->build_id_size = UINT32_MAX;
    const struct imported_site *site =
        stack_import_describe(import, site_of(add_node(TRIE_COMPLETE, 0x401000, 1)));
    const struct module *made = &recording->modules.items[frame_of(site->stack)->module];
    CHECK(strlen(recording_text(recording, made->path)) == sizeof(module->path) - 1);
    CHECK(strlen(recording_text(recording, made->build_id)) == 2 * sizeof(module->build_id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stacks_arrive_with_modules_and_addresses, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_same_frame_is_kept_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_ends_of_walks_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_deep_stack_is_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_chain_without_end_is_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_repeated_under_names_is_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_high_node_costs_no_more_than_a_low_one, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(stacks_beyond_a_million_are_not_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_rate_that_comes_back_has_its_sites_still, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(rates_that_nobody_can_have_asked_for_make_no_sites, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(scribbled_nodes_are_survived, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scribbled_modules_are_survived, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
