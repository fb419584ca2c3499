/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/blocks/block_stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "cluster/blocks/block_log.h"
#include "formats/encodings/base64.h"

static char path[64];

static int make_path(void **state)
{
    (void)state;
    strcpy(path, "/tmp/block_stats_XXXXXX");
    int const fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

static int ignore(void *context, const struct block_record *record)
{
    (void)context, (void)record;
    return 0;
}

/* As the original writes them: _time and nothing else. */
static void write_foreign(FILE *file, uint64_t height, double time, int64_t header_s,
                          uint64_t total)
{
    struct block_record record = {.header = {.height = height,
                                             .time_s = header_s,
                                             .has_total = true,
                                             .transactions_total = total},
                                  .within_ns = -1};
    struct msgpack_out map = {0};
    msgpack_put_map(&map, 2);
    msgpack_put_text(&map, "block");
    block_header_write(&map, &record.header);
    msgpack_put_text(&map, "_time");
    msgpack_put_real(&map, time);
    char *text = malloc(2 * map.size + 8);
    fprintf(file, "%.*s\n", (int)base64_encode((struct slice){map.data, map.size}, text), text);
    free(text);
    msgpack_fini(&map);
}

static struct block_stats read_stats(bool all)
{
    struct block_stats stats;
    struct fault fault = {0};
    struct block_stats_options const options = {.all = all};
    if (block_stats_read(&stats, path, &options, &fault) < 0)
        fail_msg("%s", fault.text);
    return stats;
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-6;
}

TEST(the_originals_formulas_on_clean_data)
{
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 6; i++) /* 3 s, 30 transactions each */
        write_foreign(file, 100 + (uint64_t)i, 1700000000.5 + 3 * i, 1700000000 + 3 * i,
                      1000 + 30 * (uint64_t)i);
    fclose(file);
    struct block_stats stats = read_stats(true);
    CHECK(stats.points.count == 6 && stats.counted.count == 5 && stats.missing == 0);
    CHECK(stats.all.transactions.min == 30 && stats.all.transactions.max == 30);
    CHECK(is_near(stats.all.seconds.min, 3) && is_near(stats.all.seconds.max, 3));
    CHECK(is_near(stats.all.tps.min, 10) && is_near(stats.all.tps_mean, 10));
    CHECK(stats.slow_s == 9);
    CHECK(is_near(block_stats_tps(&stats, 4, 5), 10) && isnan(block_stats_tps(&stats, 3, 5)));
    block_stats_fini(&stats);
}

TEST(W14_blocks_faster_than_a_second_are_counted)
{
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 50; i++)
        write_foreign(file, (uint64_t)i, 1700000000.0 + 0.2 * i, 1700000000 + i / 5,
                      10 * (uint64_t)i);
    fclose(file);
    struct block_stats stats = read_stats(true);
    CHECK(stats.counted.count == 49 && stats.by_arrival == 49);
    CHECK(fabs(stats.all.seconds.max - 0.2) < 1e-5 && fabs(stats.all.tps_mean - 50) < 0.01);
    block_stats_fini(&stats);
}

TEST(records_written_while_catching_up_are_timed_by_their_headers)
{
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 20; i++) /* fetched 5 ms apart, made 4 s apart */
        write_foreign(file, (uint64_t)i, 1700000999.0 + 0.005 * i, 1700000000 + 4 * i, 0);
    for (int i = 20; i < 30; i++)
        write_foreign(file, (uint64_t)i, 1700001000.0 + 4.5 * (i - 20), 1700000000 + 4 * i, 0);
    fclose(file);
    struct block_stats stats = read_stats(true);
    CHECK(stats.by_header >= 19 && is_near(stats.points.items[5].seconds, 4));
    CHECK(is_near(stats.points.items[25].seconds, 4.5));
    block_stats_fini(&stats);
}

static void append(uint64_t height, int64_t arrival_ms, int64_t within_ns, const char *replaces)
{
    struct block_log *log = block_log_open(path, 1, ignore, NULL, NULL);
    struct block_record record = {.header = {.height = height,
                                             .time_s = 1700000000 + arrival_ms / 1000,
                                             .has_total = true,
                                             .transactions_total = height},
                                  .arrival_ns = INT64_C(1700000000000000000) + arrival_ms * 1000000,
                                  .within_ns = within_ns};
    snprintf(record.replaces, sizeof(record.replaces), "%s", replaces);
    CHECK(log && block_log_append(log, &record, NULL) == 0);
    CHECK(block_log_close(log, NULL) == 0);
}

TEST(holes_repeats_and_replaced_blocks_are_told_apart)
{
    append(1, 0, 0, "");
    append(2, 300, 0, "");
    append(3, 600, 0, "");
    append(3, 700, 0, "");    /* again, for no reason */
    append(2, 900, 0, "old"); /* reorganised from 2 on */
    append(3, 1000, 0, "old");
    append(6, 2000, 0, "");
    struct block_stats stats = read_stats(true);
    CHECK(stats.points.count == 4 && stats.replaced == 2 && stats.repeated == 1);
    CHECK(stats.missing == 2 && stats.holes.items[0].first == 4 && stats.holes.items[0].last == 5);
    CHECK(is_near(stats.points.items[1].seconds, 0.9));
    CHECK(stats.points.items[3].timing == BLOCK_UNTIMED); /* three blocks' time is nobody's */
    block_stats_fini(&stats);
}

TEST(the_core_is_where_the_load_is)
{
    uint64_t total = 0;
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 60; i++) {
        total += i < 10 ? 1 : i < 50 ? 500 + (uint64_t)i % 7 : 2;
        write_foreign(file, (uint64_t)i, 1700000000.0 + 3 * i, 1700000000 + 3 * i, total);
    }
    fclose(file);
    struct block_stats stats = read_stats(false);
    CHECK(stats.core_begin == 14); /* five busy blocks from index 9 on */
    CHECK(stats.core.transactions.count > 0 && stats.core_end <= stats.counted.count);
    block_stats_fini(&stats);
    stats = read_stats(true);
    CHECK(stats.core_begin == 0 && stats.core_end == 59);
    block_stats_fini(&stats);
}

TEST(lag_is_that_behind_the_first_node)
{
    struct block_point one[] = {
        {.height = 5, .arrival_ns = 1000000000, .is_ours = true},
        {.height = 6, .arrival_ns = 2000000000, .is_ours = true},
        {.height = 7, .arrival_ns = 9000000000, .is_ours = true, .within_ns = -1}};
    struct block_point two[] = {{.height = 6, .arrival_ns = 2250000000, .is_ours = true},
                                {.height = 7, .arrival_ns = 3000000000, .is_ours = true},
                                {.height = 8, .arrival_ns = 4000000000, .is_ours = true}};
    struct block_stats const stats[2] = {{.points = {one, 3, 3}}, {.points = {two, 3, 3}}};
    struct block_lag lags[2];
    CHECK(block_lag_find(stats, 2, lags) == 0);
    CHECK(lags[0].compared == 1 && lags[0].first == 1 && lags[0].max_s == 0);
    CHECK(lags[1].compared == 1 && lags[1].first == 0 && is_near(lags[1].median_s, 0.25));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_originals_formulas_on_clean_data, make_path,
                                        remove_path),
        cmocka_unit_test_setup_teardown(W14_blocks_faster_than_a_second_are_counted, make_path,
                                        remove_path),
        cmocka_unit_test_setup_teardown(
            records_written_while_catching_up_are_timed_by_their_headers, make_path, remove_path),
        cmocka_unit_test_setup_teardown(holes_repeats_and_replaced_blocks_are_told_apart, make_path,
                                        remove_path),
        cmocka_unit_test_setup_teardown(the_core_is_where_the_load_is, make_path, remove_path),
        cmocka_unit_test(lag_is_that_behind_the_first_node)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
