/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/memory/page_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "check.h"
#include "page_recording.h"

#define KIB  1024
#define MANY 100000

static struct page_tree built(struct page_recording *made, bool outermost_first, uint64_t threshold)
{
    struct page_tree_options const options = {.outermost_first = outermost_first,
                                              .width = PAGE_SUMS,
                                              .unit_bytes = KIB,
                                              .threshold = threshold,
                                              .nodes_most = 10000000};
    struct page_tree tree;
    CHECK(page_tree_build(made->recording, made->running, &options, &tree) == 0);
    return tree;
}

static uint64_t value(const struct page_tree *tree, size_t node)
{
    return page_tree_totals(tree, node)[PAGE_SUM_VALUE];
}

static const char *name(const struct page_tree *tree, size_t node)
{
    uint32_t const frame = tree->nodes.items[node].frame;
    return recording_text(tree->frames.recording, tree->frames.items.items[frame].function);
}

/* Everything that must hold of any tree. */
static void check_sound(const struct page_tree *tree, uint64_t threshold)
{
    size_t covered = 1;
    for (size_t node = 0; node < tree->nodes.count; node++) {
        const struct page_node *parent = &tree->nodes.items[node];
        const uint64_t *totals = page_tree_totals(tree, node);
        uint64_t left_out[PAGE_SUMS], sum[PAGE_SUMS];
        page_tree_left_out(tree, node, left_out);
        CHECK(totals[PAGE_SUM_CACHE] <= totals[PAGE_SUM_VALUE]);
        CHECK(left_out[PAGE_SUM_CACHE] <= left_out[PAGE_SUM_VALUE]);
        CHECK(node == 0 || totals[PAGE_SUM_VALUE] >= threshold);
        CHECK(threshold > 0 || left_out[PAGE_SUM_VALUE] == 0);
        for (unsigned i = 0; i < PAGE_SUMS; i++) {
            sum[i] = page_tree_own(tree, node)[i] + left_out[i];
            CHECK(left_out[i] <= totals[i]);
        }
        CHECK(parent->child_count == 0 || parent->first_child == covered);
        covered += parent->child_count;
        for (uint32_t i = 0; i < parent->child_count; i++) {
            uint32_t const child = parent->first_child + i;
            CHECK(tree->nodes.items[child].parent == node && child > node);
            CHECK(i == 0 || value(tree, child) <= value(tree, child - 1));
            for (unsigned k = 0; k < PAGE_SUMS; k++)
                sum[k] += page_tree_totals(tree, child)[k];
        }
        CHECK(memcmp(sum, totals, sizeof(sum)) == 0);
    }
    CHECK(covered == tree->nodes.count);
}

/* main < read_file < read, main < parse < malloc, and a second call of malloc in parse. */
struct small {
    struct page_recording made;
    stack_id reads, parses, parses_again, named;
};

static struct small small_create(void)
{
    struct small small = {.made = page_recording_create()};
    uint32_t const node = page_module(&small.made, "/usr/bin/node");
    uint32_t const libc = page_module(&small.made, "/lib/libc.so.6");
    uint32_t const main_ = page_frame_add(&small.made, node, 0x1000, "main", "main");
    uint32_t const parse = page_frame_add(&small.made, node, 0x1100, "parse", "parse");
    uint32_t const again = page_frame_add(&small.made, node, 0x1180, "parse", "parse");
    uint32_t const file = page_frame_add(&small.made, node, 0x1200, "read_file", "read_file");
    uint32_t const read = page_frame_add(&small.made, libc, 0x50, "read", "read");
    uint32_t const get = page_frame_add(&small.made, libc, 0x90, "malloc", "malloc");
    small.reads = page_stack(&small.made, (uint32_t[]){read, file, main_}, 3);
    small.parses = page_stack(&small.made, (uint32_t[]){get, parse, main_}, 3);
    small.parses_again = page_stack(&small.made, (uint32_t[]){get, again, main_}, 3);
    CHECK(recording_name_stack(small.made.recording,
                               recording_intern(small.made.recording, "[resident before attach]"),
                               &small.named) == 0);
    page_book(&small.made, small.reads, PAGE_CACHE, 64 * KIB);
    page_book(&small.made, small.parses, PAGE_ANON, 100 * KIB);
    page_book(&small.made, small.parses, PAGE_ANON, -60 * KIB);
    page_book(&small.made, small.parses_again, PAGE_ANON, 8 * KIB);
    page_book(&small.made, small.named, PAGE_FILE, 12 * KIB);
    page_book(&small.made, small.named, PAGE_CACHE, 4 * KIB);
    page_book(&small.made, small.named, PAGE_SWAP, 400 * KIB);
    return small;
}

TEST(innermost_first_goes_to_callers_and_calls_from_two_places_are_two_nodes)
{
    struct small small = small_create();
    struct page_tree tree = built(&small.made, false, 0);

    check_sound(&tree, 0);
    CHECK(value(&tree, 0) == 124 && page_tree_totals(&tree, 0)[PAGE_SUM_CACHE] == 76);
    CHECK(page_tree_totals(&tree, 0)[PAGE_SUM_KIND_0 + PAGE_SWAP] == 400);
    CHECK(tree.nodes.count == 10 && tree.nodes.items[0].child_count == 3);
    CHECK(strcmp(name(&tree, 1), "read") == 0 && value(&tree, 1) == 64);
    CHECK(strcmp(name(&tree, 2), "malloc") == 0 && value(&tree, 2) == 48);
    CHECK(strcmp(name(&tree, 3), "[resident before attach]") == 0 && value(&tree, 3) == 12);
    CHECK(page_tree_totals(&tree, 3)[PAGE_SUM_CACHE] == 12); /* mapped and cached: once */
    CHECK(tree.nodes.items[2].child_count == 2);
    CHECK(strcmp(name(&tree, 5), "parse") == 0 && value(&tree, 5) == 40);
    CHECK(strcmp(name(&tree, 6), "parse") == 0 && value(&tree, 6) == 8);
    page_tree_fini(&tree);
    page_recording_destroy(&small.made);
}

TEST(outermost_first_goes_to_callees_with_the_same_sums)
{
    struct small small = small_create();
    struct page_tree tree = built(&small.made, true, 0);

    check_sound(&tree, 0);
    CHECK(value(&tree, 0) == 124 && tree.nodes.items[0].child_count == 2);
    CHECK(strcmp(name(&tree, 1), "main") == 0 && value(&tree, 1) == 112);
    CHECK(tree.nodes.items[1].child_count == 3);
    CHECK(strcmp(name(&tree, 3), "read_file") == 0 && value(&tree, 3) == 64);
    page_tree_fini(&tree);
    page_recording_destroy(&small.made);
}

TEST(what_is_below_the_threshold_is_left_out_and_what_is_at_it_stays)
{
    struct small small = small_create();
    struct page_tree tree = built(&small.made, false, 48);
    uint64_t sums[PAGE_SUMS];

    check_sound(&tree, 48);
    CHECK(tree.nodes.items[0].child_count == 2 && tree.nodes.items[2].child_count == 0);
    page_tree_left_out(&tree, 0, sums);
    CHECK(sums[PAGE_SUM_VALUE] == 12 && sums[PAGE_SUM_CACHE] == 12);
    page_tree_left_out(&tree, 2, sums);
    CHECK(sums[PAGE_SUM_VALUE] == 48 && sums[PAGE_SUM_CACHE] == 0);
    page_tree_fini(&tree);

    tree = built(&small.made, true, UINT64_MAX);
    CHECK(tree.nodes.count == 1 && value(&tree, 0) == 124);
    page_tree_fini(&tree);
    page_recording_destroy(&small.made);
}

TEST(equal_values_stand_by_offset_then_file_then_function)
{
    struct page_recording made = page_recording_create();
    uint32_t const b = page_module(&made, "/a/b.so"), a = page_module(&made, "/z/a.so");
    uint32_t const frames[] = {page_frame_add(&made, b, 0x20, "x", "x"),
                               page_frame_add(&made, b, 0x10, "y", "y"),
                               page_frame_add(&made, a, 0x20, "z", "z"),
                               page_frame_add(&made, MODULE_NONE, 0, "[n]", "[n]"),
                               page_frame_add(&made, MODULE_NONE, 0, "[m]", "[m]")};
    static const char *const wanted[] = {"[m]", "[n]", "y", "z", "x"};
    for (size_t i = 0; i < 5; i++)
        page_book(&made, page_stack(&made, &frames[i], 1), PAGE_ANON, 4 * KIB);
    for (int reverse = 0; reverse < 2; reverse++) {
        struct page_tree tree = built(&made, reverse, 0);
        for (size_t i = 0; i < 5; i++)
            CHECK(strcmp(name(&tree, i + 1), wanted[i]) == 0);
        page_tree_fini(&tree);
    }
    page_recording_destroy(&made);
}

TEST(frames_are_one_by_file_and_address_and_code_in_no_file_is_one)
{
    struct page_recording made = page_recording_create();
    uint32_t const once = page_module(&made, "/bin/n"), twice = page_module(&made, "/bin/n");
    uint32_t const frames[] = {page_frame_add(&made, once, 0x20, NULL, ""),
                               page_frame_add(&made, twice, 0x20, "f", "f"),
                               page_frame_add(&made, MODULE_NONE, 0x7f0001, NULL, ""),
                               page_frame_add(&made, MODULE_NONE, 0x7f0002, NULL, "")};
    for (size_t i = 0; i < 4; i++)
        page_book(&made, page_stack(&made, &frames[i], 1), PAGE_ANON, (4 - (int)i / 2) * KIB);
    page_book(&made, STACK_EMPTY, PAGE_KERNEL, 5 * KIB + 100); /* of no stack */
    for (int reverse = 0; reverse < 2; reverse++) {
        struct page_tree tree = built(&made, reverse, 0);
        check_sound(&tree, 0);
        CHECK(tree.nodes.count == 3);
        CHECK(value(&tree, 1) == 8 && strcmp(name(&tree, 1), "f") == 0);
        CHECK(value(&tree, 2) == 6 && strcmp(name(&tree, 2), "") == 0);
        CHECK(page_tree_own(&tree, 0)[PAGE_SUM_VALUE] == 5);
        page_tree_fini(&tree);
    }
    page_recording_destroy(&made);
}

TEST(a_stack_may_be_very_deep)
{
    struct page_recording made = page_recording_create();
    uint32_t const frame = page_frame_add(&made, page_module(&made, "/bin/n"), 1, "f", "f");
    uint32_t *frames = calloc(MANY, sizeof(*frames));
    for (size_t i = 0; i < MANY; i++)
        frames[i] = frame;
    page_book(&made, page_stack(&made, frames, MANY), PAGE_ANON, 4 * KIB);
    for (int reverse = 0; reverse < 2; reverse++) {
        struct page_tree tree = built(&made, reverse, 0);
        CHECK(tree.nodes.count == MANY + 1 && value(&tree, MANY) == 4);
        CHECK(page_tree_own(&tree, MANY)[PAGE_SUM_VALUE] == 4);
        page_tree_fini(&tree);
    }
    free(frames);
    page_recording_destroy(&made);
}

TEST(too_many_nodes_and_sums_that_no_machine_has_are_refused)
{
    struct small small = small_create();
    struct page_tree_options options = {
        .width = PAGE_SUMS_COMMON, .unit_bytes = 1, .nodes_most = 10};
    struct page_tree tree;
    CHECK(page_tree_build(small.made.recording, small.made.running, &options, &tree) == 0);
    page_tree_fini(&tree);
    options.nodes_most = 9;
    CHECK(page_tree_build(small.made.recording, small.made.running, &options, &tree) == -EFBIG);
    page_book(&small.made, small.reads, PAGE_ANON, INT64_MAX);
    page_book(&small.made, small.parses, PAGE_FILE, INT64_MAX);
    options.nodes_most = 10;
    CHECK(page_tree_build(small.made.recording, small.made.running, &options, &tree) == -ERANGE);
    page_recording_destroy(&small.made);
}

/* --- Any stacks: what the trees say against what was booked, stack by stack. --- */
struct ended {
    uint64_t path; /* hash of the whole stack */
    uint64_t value, cache;
};

struct endings {
    VEC(struct ended) items;
};

static int by_path(const void *left, const void *right)
{
    const struct ended *a = left, *b = right;
    return a->path < b->path ? -1 : a->path > b->path;
}

static void add_ending(struct endings *endings, uint64_t path, const uint64_t *sums)
{
    vec_each (ending, &endings->items)
        if (ending->path == path) {
            ending->value += sums[PAGE_SUM_VALUE];
            ending->cache += sums[PAGE_SUM_CACHE];
            return;
        }
    CHECK(vec_push(&endings->items,
                   (struct ended){path, sums[PAGE_SUM_VALUE], sums[PAGE_SUM_CACHE]}));
}

/* The same for a node and its stack, in either direction: a sum of what is at which place from
 * outside. */
static uint64_t place(uint32_t frame, size_t from_outside)
{
    return hash_mix(((uint64_t)frame << 32 | from_outside) + 1);
}

static struct endings endings_of_tree(const struct page_tree *tree, bool outermost_first)
{
    struct endings endings = {0};
    for (size_t node = 0; node < tree->nodes.count; node++) {
        uint64_t path = 0;
        size_t depth = 0;
        if (!page_tree_own(tree, node)[PAGE_SUM_VALUE])
            continue;
        for (size_t at = node; at; at = tree->nodes.items[at].parent)
            depth++;
        size_t step = 0;
        for (size_t at = node; at; at = tree->nodes.items[at].parent, step++) {
            uint32_t const id = tree->frames.items.items[tree->nodes.items[at].frame].frame;
            path += place(id, outermost_first ? depth - 1 - step : step);
        }
        add_ending(&endings, path, page_tree_own(tree, node));
    }
    qsort(endings.items.items, endings.items.count, sizeof(struct ended), by_path);
    return endings;
}

static struct endings endings_of_stacks(struct page_recording *made, const uint32_t *first_of)
{
    struct endings endings = {0};
    for (size_t stack = 0; stack < running_stacks(made->running); stack++) {
        uint64_t path = 0, sums[PAGE_SUMS];
        size_t depth = 0;
        if (!page_weigh(made->running, (stack_id)stack, KIB, sums, PAGE_SUMS) ||
            !sums[PAGE_SUM_VALUE])
            continue;
        for (stack_id at = (stack_id)stack; at;
             at = stack_table_innermost(made->recording->stacks, at).caller)
            depth++;
        for (stack_id at = (stack_id)stack; at;
             at = stack_table_innermost(made->recording->stacks, at).caller)
            path +=
                place(first_of[stack_table_innermost(made->recording->stacks, at).frame], --depth);
        add_ending(&endings, path, sums);
    }
    qsort(endings.items.items, endings.items.count, sizeof(struct ended), by_path);
    return endings;
}

static void check_same(const struct endings *left, const struct endings *right)
{
    CHECK(left->items.count == right->items.count);
    CHECK(memcmp(left->items.items, right->items.items, left->items.count * sizeof(struct ended)) ==
          0);
}

#define FRAMES 12

static void book_at_random(struct page_recording *made)
{
    uint32_t stack[9];
    size_t const depth = (size_t)rand() % 9;
    for (size_t i = 0; i < depth; i++)
        stack[i] = (uint32_t)rand() % FRAMES;
    page_book(made, page_stack(made, stack, depth), (enum page_kind)(rand() % PAGE_KINDS),
              (rand() % 100 - 30) * 4096);
}

/* The whole tree in one direction has what was booked. */
static void check_whole(struct page_recording *made, const uint32_t *first_of, bool outermost_first)
{
    struct page_tree tree = built(made, outermost_first, 0);
    uint64_t all[PAGE_SUMS];
    CHECK(page_weigh_all(made->running, KIB, all, PAGE_SUMS) == 0);
    CHECK(memcmp(all, page_tree_totals(&tree, 0), sizeof(all)) == 0);
    check_sound(&tree, 0);
    vec_each (frame, &tree.frames.items) /* which of two with one place is met first is not told */
        frame->frame = first_of[frame->frame];
    struct endings booked = endings_of_stacks(made, first_of);
    struct endings found = endings_of_tree(&tree, outermost_first);
    check_same(&booked, &found);
    vec_free(&booked.items);
    vec_free(&found.items);
    page_tree_fini(&tree);
}

TEST(any_stacks_make_sound_trees_that_agree_in_both_directions)
{
    for (unsigned seed = 1; seed <= 60; seed++) {
        struct page_recording made = page_recording_create();
        uint32_t const module = page_module(&made, "/bin/n");
        uint32_t first_of[FRAMES];
        srand(seed);
        for (uint32_t i = 0; i < FRAMES; i++) { /* the last two are the places of the first two */
            page_frame_add(&made, module, 0x100 + i % (FRAMES - 2), "f", "f");
            first_of[i] = i % (FRAMES - 2);
        }
        for (int i = 0; i < 150; i++)
            book_at_random(&made);
        for (int reverse = 0; reverse < 2; reverse++)
            check_whole(&made, first_of, reverse);
        for (int reverse = 0; reverse < 2; reverse++) {
            struct page_tree pruned = built(&made, reverse, 200);
            check_sound(&pruned, 200);
            page_tree_fini(&pruned);
        }
        page_recording_destroy(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(innermost_first_goes_to_callers_and_calls_from_two_places_are_two_nodes),
        cmocka_unit_test(outermost_first_goes_to_callees_with_the_same_sums),
        cmocka_unit_test(what_is_below_the_threshold_is_left_out_and_what_is_at_it_stays),
        cmocka_unit_test(equal_values_stand_by_offset_then_file_then_function),
        cmocka_unit_test(frames_are_one_by_file_and_address_and_code_in_no_file_is_one),
        cmocka_unit_test(a_stack_may_be_very_deep),
        cmocka_unit_test(too_many_nodes_and_sums_that_no_machine_has_are_refused),
        cmocka_unit_test(any_stacks_make_sound_trees_that_agree_in_both_directions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
