/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sums/columns_used.h"

#include <stdlib.h>

#include "check.h"

#define BUCKETS 1000u

static struct recording *make_recording(size_t buckets, size_t rare)
{
    struct recording *recording = recording_create();
    assert_non_null(recording);
    for (size_t i = 0; i < buckets; i++) {
        struct bucket bucket = {.begin_ns = i * 10, .end_ns = i * 10 + 10};
        bucket.cells = calloc(2, sizeof(struct cell));
        bucket.cells[bucket.cell_count++] = (struct cell){1, COL_HEAP_BYTES, 100};
        if (i == rare)
            bucket.cells[bucket.cell_count++] = (struct cell){1, COL_MAP_BYTES, 100};
        assert_true(vec_push(&recording->buckets, bucket));
    }
    recording->duration_ns = buckets * 10;
    return recording;
}

TEST(finds_at_once_what_is_everywhere)
{
    struct recording *recording = make_recording(BUCKETS, 333);
    struct columns_used used = {0};
    assert_int_equal(columns_used_look(&used, recording, NULL), 0);
    assert_true(columns_used_has(&used, metric_find("heap.allocated")));
    assert_true(columns_used_has(&used, metric_find("heap.live")));
    assert_false(columns_used_has(&used, metric_find("heap.freed")));
    assert_false(columns_used_has(&used, metric_find("cpu.on")));
    recording_destroy(recording);
}

/* Wherever it is, it is found by the time that every bucket was looked at. */
TEST(finds_in_the_end_what_is_rare)
{
    static const size_t places[] = {0, 1, 333, 500, BUCKETS - 2, BUCKETS - 1};
    for (size_t place = 0; place < sizeof(places) / sizeof(places[0]); place++) {
        struct recording *recording = make_recording(BUCKETS, places[place]);
        struct columns_used used = {0};
        for (unsigned i = 0; i < BUCKETS / 20; i++)
            assert_int_equal(columns_used_look(&used, recording, NULL), 0);
        assert_true(columns_used_has(&used, metric_find("maps.mapped")));
        recording_destroy(recording);
    }
}

TEST(finds_what_comes_later)
{
    struct recording *recording = make_recording(5, 99);
    struct recording *longer = make_recording(6, 5);
    struct columns_used used = {0};
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(columns_used_look(&used, recording, NULL), 0);
    assert_false(columns_used_has(&used, metric_find("maps.mapped")));
    assert_int_equal(columns_used_look(&used, longer, NULL), 0);
    assert_true(columns_used_has(&used, metric_find("maps.mapped")));
    recording_destroy(recording);
    recording_destroy(longer);
}

TEST(stands_an_empty_recording)
{
    struct recording *recording = make_recording(0, 0);
    struct columns_used used = {0};
    assert_int_equal(columns_used_look(&used, recording, NULL), 0);
    assert_false(columns_used_has(&used, metric_find("heap.live")));
    recording_destroy(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_at_once_what_is_everywhere),
        cmocka_unit_test(finds_in_the_end_what_is_rare),
        cmocka_unit_test(finds_what_comes_later),
        cmocka_unit_test(stands_an_empty_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
