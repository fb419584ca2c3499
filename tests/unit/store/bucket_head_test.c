/* SPDX-License-Identifier: Apache-2.0 */
/* The plain part of a bucket, byte by byte: with PSS, and as files before it have it. */
#include "store/chunks/tables.h"

#include "check.h"

static struct bucket parsed(const uint8_t *bytes, size_t size, bool *failed)
{
    struct byte_reader body = {.at = bytes, .end = bytes + size};
    struct chunk_header const header = {.begin_ns = 1, .end_ns = 2};
    bool has_cells = true;
    struct bucket bucket = bucket_head_parse(&body, &header, &has_cells);
    *failed = body.failed || has_cells;
    return bucket;
}

static void pss_stands_behind_what_older_readers_know(void **state)
{
    (void)state;
    struct byte_buffer with = {0}, without = {0};
    struct bucket bucket = {.gauges = {10, 20, 30, 5}, .lost_events = 3, .pss_bytes = 300};
    static const uint8_t bytes[] = {20, 40, 60, 10, 3, 0, 0xac, 0x02};
    bucket_head_put(&with, &bucket);
    bucket.pss_bytes = 0;
    bucket_head_put(&without, &bucket);
    assert_int_equal(with.size, sizeof(bytes));
    assert_memory_equal(with.data, bytes, sizeof(bytes));
    assert_int_equal(without.size, 6);
    assert_memory_equal(without.data, bytes, 6);
    bytes_free(&with);
    bytes_free(&without);
}

static void files_without_it_read_as_not_measured(void **state)
{
    (void)state;
    bool failed;
    static const uint8_t bytes[] = {20, 40, 60, 10, 3, 0, 0xac, 0x02};
    CHECK(parsed(bytes, 6, &failed).pss_bytes == 0 && !failed);
    CHECK(parsed(bytes, 8, &failed).pss_bytes == 300 && !failed);
    (void)parsed(bytes, 7, &failed);
    CHECK(failed); /* torn */
    static const uint8_t huge[] = {20,   40,   60,   10,   3,    0,    0xff, 0xff,
                                   0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
    CHECK(parsed(huge, sizeof(huge), &failed).pss_bytes == 0 && !failed);
}

static void what_recording_takes_stands_behind_that(void **state)
{
    (void)state;
    struct byte_buffer with = {0};
    bool failed;
    struct bucket const bucket = {.gauges = {10, 20, 30, 5}, .lost_events = 3, .own_bytes = 300};
    static const uint8_t bytes[] = {20, 40, 60, 10, 3, 0, 0, 0xac, 0x02};
    bucket_head_put(&with, &bucket);
    assert_int_equal(with.size, sizeof(bytes));
    assert_memory_equal(with.data, bytes, sizeof(bytes));
    CHECK(parsed(bytes, sizeof(bytes), &failed).own_bytes == 300 && !failed);
    CHECK(parsed(bytes, sizeof(bytes), &failed).pss_bytes == 0);
    CHECK(parsed(bytes, 7, &failed).own_bytes == 0 && !failed);
    bytes_free(&with);
}

static void the_most_of_merged_buckets_stands_behind_that(void **state)
{
    (void)state;
    struct byte_buffer with = {0};
    bool failed;
    struct bucket const bucket = {
        .gauges = {10, 20, 30, 5}, .lost_events = 3, .rss_max = 300, .pss_bytes = 4, .pss_max = 7};
    static const uint8_t bytes[] = {20, 40, 60, 10, 3, 0, 4, 0, 0xac, 0x02, 7};
    bucket_head_put(&with, &bucket);
    assert_int_equal(with.size, sizeof(bytes));
    assert_memory_equal(with.data, bytes, sizeof(bytes));
    struct bucket const back = parsed(bytes, sizeof(bytes), &failed);
    CHECK(back.rss_max == 300 && back.pss_max == 7 && back.pss_bytes == 4 && !failed);
    CHECK(parsed(bytes, 8, &failed).rss_max == 0 && !failed);
    bytes_free(&with);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pss_stands_behind_what_older_readers_know),
        cmocka_unit_test(files_without_it_read_as_not_measured),
        cmocka_unit_test(what_recording_takes_stands_behind_that),
        cmocka_unit_test(the_most_of_merged_buckets_stands_behind_that),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
