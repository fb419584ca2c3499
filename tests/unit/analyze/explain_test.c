/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/explain.h"

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
static void put(size_t bucket, enum owner_kind kind, int site, int64_t bytes)
{
    struct bucket *into = &sample.recording->buckets.items[bucket];
    into->cells = realloc(into->cells, (into->cell_count + 1) * sizeof(struct cell));
    CHECK(into->cells != NULL);
    unsigned const column = COL_RESIDENT_0 + 2 * kind + (bytes < 0);
    into->cells[into->cell_count++] =
        (struct cell){sample.stacks[site], (uint16_t)column, bytes < 0 ? -bytes : bytes};
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
    CHECK(strstr(fault.text, "nobody has looked") != NULL);
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
    CHECK(strstr(fault.text, "ask for a later time") != NULL);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_recording_without_looks_says_so, begin, end),
        cmocka_unit_test_setup_teardown(looks_add_up_over_time, begin, end),
        cmocka_unit_test_setup_teardown(a_time_before_the_first_look_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(advice_comes_with_its_bytes_and_the_most_first, begin, end),
        cmocka_unit_test_setup_teardown(little_is_not_worth_advice, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
