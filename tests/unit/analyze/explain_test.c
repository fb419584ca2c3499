/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/memory/explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sample_recording.h"

#define SEC UINT64_C(1000000000)
#define MIB (INT64_C(1) << 20)

static struct sample sample;
static struct explanation explanation;
static struct fault fault;

static int begin(void **state)
{
    (void)state;
    sample = sample_create();
    return 0;
}

static int end(void **state)
{
    (void)state;
    explain_fini(&explanation);
    memset(&explanation, 0, sizeof(explanation));
    sample_destroy(&sample);
    return 0;
}

/* Adds a cell to a bucket: more, or with a value below zero less. */
static void put_cell(size_t bucket, unsigned column, stack_id stack, int64_t bytes)
{
    struct bucket *into = &sample.recording->buckets.items[bucket];
    into->cells = realloc(into->cells, (into->cell_count + 1) * sizeof(struct cell));
    CHECK(into->cells != NULL);
    into->cells[into->cell_count++] =
        (struct cell){stack, (uint16_t)(column + (bytes < 0)), bytes < 0 ? -bytes : bytes};
}

static void put(size_t bucket, enum owner_kind kind, int site, int64_t bytes)
{
    put_cell(bucket, COL_RESIDENT_0 + 2 * kind, sample.stacks[site], bytes);
}

static void put_pages(size_t bucket, enum page_kind kind, stack_id stack, int64_t bytes)
{
    put_cell(bucket, COL_PAGES_0 + 2 * kind, stack, bytes);
}

static void look(uint64_t looks, uint64_t time_ns)
{
    sample.recording->residency.looks = looks;
    sample.recording->residency.time_ns = time_ns;
}

static const struct advice *advice(enum advice_kind kind)
{
    vec_each (item, &explanation.advice) {
        if (item->kind == kind)
            return item;
    }
    return NULL;
}

TEST(a_recording_without_looks_says_so)
{
    CHECK(explain_make(sample.recording, UINT64_MAX, &explanation, &fault) == -ENODATA);
    CHECK(strstr(fault.text, "no snapshot of the pages") != NULL);
}

TEST(looks_add_up_over_time)
{
    put(0, OWNER_LIVE, SITE_CACHE, 4 * MIB);
    put(0, OWNER_KEPT, SITE_TZ, MIB);
    put(1, OWNER_LIVE, SITE_CACHE, -MIB);
    put(1, OWNER_HELD, SITE_TREE, 2 * MIB);
    look(2, 15 * SEC);
    CHECK(explain_make(sample.recording, UINT64_MAX, &explanation, &fault) == 0);
    assert_int_equal(explanation.total, 6 * MIB);
    assert_int_equal(explanation.at_ns, 15 * SEC);
    assert_int_equal(explanation.owners[OWNER_LIVE].total_value, 3 * MIB);
    assert_int_equal(explanation.owners[OWNER_HELD].rows.items[0].key, sample.stacks[SITE_TREE]);
    explain_fini(&explanation);
    CHECK(explain_make(sample.recording, 10 * SEC, &explanation, &fault) == 0);
    assert_int_equal(explanation.total, 5 * MIB);
    assert_int_equal(explanation.at_ns, 10 * SEC);
}

TEST(a_time_before_the_first_look_is_refused)
{
    put(2, OWNER_LIVE, SITE_CACHE, MIB);
    look(1, 25 * SEC);
    CHECK(explain_make(sample.recording, 10 * SEC, &explanation, &fault) == -ENODATA);
    CHECK(strstr(fault.text, "choose a later time") != NULL);
}

TEST(advice_comes_with_its_bytes_and_the_most_first)
{
    put(0, OWNER_LIVE, SITE_TREE, 2 * MIB);
    put(0, OWNER_HELD, SITE_TREE, 8 * MIB);
    put(0, OWNER_HELD, SITE_CACHE, 4 * MIB);
    put(0, OWNER_KEPT, SITE_TZ, 40 * MIB);
    put(0, OWNER_KEPT, SITE_PLUGIN, 20 * MIB);
    look(1, 5 * SEC);
    sample.recording->residency.reserved_bytes = 1000 * MIB;
    CHECK(explain_make(sample.recording, UINT64_MAX, &explanation, &fault) == 0);
    CHECK(explanation.advice.count == 4);
    CHECK(explanation.advice.items[0].kind == ADVICE_TRIM &&
          explanation.advice.items[0].bytes == 60 * MIB);
    CHECK(advice(ADVICE_ARENAS)->bytes == 20 * MIB && advice(ADVICE_ARENAS)->count == 2);
    CHECK(advice(ADVICE_FRAGMENTED)->bytes == 12 * MIB);
    CHECK(advice(ADVICE_FRAGMENTED)->stack == sample.stacks[SITE_TREE]);
    CHECK(advice(ADVICE_FRAGMENTED)->of_bytes == 2 * MIB);
    CHECK(explanation.advice.items[3].kind == ADVICE_RESERVED); /* brings nothing back */
}

TEST(little_is_not_worth_advice)
{
    put(0, OWNER_LIVE, SITE_TREE, 100 * MIB);
    put(0, OWNER_HELD, SITE_TREE, MIB);
    put(0, OWNER_KEPT, SITE_TZ, 2 * MIB);
    look(1, 5 * SEC);
    CHECK(explain_make(sample.recording, UINT64_MAX, &explanation, &fault) == 0);
    CHECK(explanation.advice.count == 0);
}

/* A process that was only watched from outside: the parts are the kinds of its pages. */
TEST(pages_alone_are_explained_by_who_touched_them)
{
    struct explained_part parts[EXPLAINED_PARTS_MAX];
    stack_id before;
    string_id const name = recording_intern(sample.recording, PAGES_BEFORE_NAME);
    CHECK(recording_name_stack(sample.recording, name, &before) == 0);
    put_pages(0, PAGE_ANON, sample.stacks[SITE_TREE], 8 * MIB);
    put_pages(0, PAGE_ANON, before, 2 * MIB);
    put_pages(0, PAGE_FILE, before, 3 * MIB);
    put_pages(1, PAGE_ANON, sample.stacks[SITE_TREE], -MIB);
    put_pages(1, PAGE_SHMEM, sample.stacks[SITE_CACHE], 4 * MIB);
    put_pages(1, PAGE_SWAP, sample.stacks[SITE_TREE], MIB); /* not resident */
    put_pages(1, PAGE_CACHE, sample.stacks[SITE_TREE], 50 * MIB);
    look(2, 15 * SEC);
    CHECK(explain_make(sample.recording, UINT64_MAX, &explanation, &fault) == 0);
    CHECK(explanation.is_of_pages && explanation.total == 16 * MIB);
    assert_int_equal(explanation.at_ns, 15 * SEC);
    assert_int_equal(explain_parts(&explanation, parts), PAGE_KINDS_RESIDENT);
    assert_string_equal(parts[PAGE_ANON].words->metric, "pages.anon");
    assert_int_equal(parts[PAGE_ANON].weights->total_value, 9 * MIB);
    assert_int_equal(parts[PAGE_FILE].weights->total_value, 3 * MIB);
    assert_int_equal(parts[PAGE_SHMEM].weights->total_value, 4 * MIB);
    assert_int_equal(explanation.pages[PAGE_CACHE].total_value, 50 * MIB);
    CHECK(explain_is_unseen(sample.recording, name));
    assert_int_equal(explanation.advice.count, 2);
    assert_int_equal(advice(ADVICE_EARLIER)->bytes, 5 * MIB);
    assert_int_equal(advice(ADVICE_BLOCKS)->bytes, 9 * MIB);
}

/* With hooks in it, owners are the parts; pages tell more about some. */
TEST(a_heap_is_explained_by_its_owners_also_with_pages)
{
    put(0, OWNER_LIVE, SITE_TREE, 97 * MIB);
    put(0, OWNER_KEPT, SITE_TZ, 3 * MIB);
    put_cell(0, COL_TOUCHED_0 + 2 * owner_touched_place(OWNER_KEPT), sample.stacks[SITE_CACHE],
             3 * MIB);
    put_pages(0, PAGE_ANON, sample.stacks[SITE_TREE], 90 * MIB);
    look(1, 5 * SEC);
    CHECK(explain_make(sample.recording, UINT64_MAX, &explanation, &fault) == 0);
    CHECK(!explanation.is_of_pages && explanation.total == 100 * MIB);
    struct explained_part parts[EXPLAINED_PARTS_MAX];
    assert_int_equal(explain_parts(&explanation, parts), OWNER_KINDS);
    assert_int_equal(parts[OWNER_LIVE].weights->total_value, 97 * MIB);
    assert_null(parts[OWNER_LIVE].touched);
    assert_non_null(parts[OWNER_KEPT].touched);
    assert_int_equal(parts[OWNER_KEPT].touched->total_value, 3 * MIB);
    assert_int_equal(parts[OWNER_KEPT].touched->rows.items[0].key, sample.stacks[SITE_CACHE]);
    assert_null(parts[OWNER_OTHER].touched);
}

/* Recordings that do not say when somebody looked have their buckets. */
TEST(pages_without_a_time_of_the_look_are_of_the_last_bucket)
{
    put_pages(1, PAGE_ANON, sample.stacks[SITE_TREE], MIB);
    CHECK(explain_make(sample.recording, UINT64_MAX, &explanation, &fault) == 0);
    CHECK(explanation.total == MIB);
    assert_int_equal(explanation.at_ns, sample.recording->buckets.items[1].end_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_recording_without_looks_says_so, begin, end),
        cmocka_unit_test_setup_teardown(looks_add_up_over_time, begin, end),
        cmocka_unit_test_setup_teardown(a_time_before_the_first_look_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(advice_comes_with_its_bytes_and_the_most_first, begin, end),
        cmocka_unit_test_setup_teardown(little_is_not_worth_advice, begin, end),
        cmocka_unit_test_setup_teardown(pages_alone_are_explained_by_who_touched_them, begin, end),
        cmocka_unit_test_setup_teardown(a_heap_is_explained_by_its_owners_also_with_pages, begin,
                                        end),
        cmocka_unit_test_setup_teardown(pages_without_a_time_of_the_look_are_of_the_last_bucket,
                                        begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
