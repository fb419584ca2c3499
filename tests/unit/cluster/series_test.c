/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/metrics/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "check.h"
#include "folder.h"

static struct run *read_all(struct series_set *set)
{
    struct fault fault = {.text = ""};
    struct run *run = run_open(folder, &fault);
    assert_non_null(run);
    CHECK(series_read(set, run, NULL, NULL, &fault) == 0);
    return run;
}

static void drop(struct run *run, struct series_set *set)
{
    series_fini(set);
    run_close(run);
}

TEST(a_counter_that_begins_anew_gains_what_it_has)
{
    static const unsigned values[] = {100, 150, 30, 80};
    struct series_set set;
    const struct series *series;
    char name[64], text[64];
    for (unsigned i = 0; i < 4; i++) {
        snprintf(name, sizeof(name), "a.20261116_0100%u0.metrics", i);
        snprintf(text, sizeof(text), "# TYPE x counter\nx %u\n%s", values[i], i ? "y 5\n" : "");
        put(name, text);
    }
    struct run *run = read_all(&set);
    CHECK(set.scrapes.count == 4 && series_find(&set, "x", &series) == 1);
    CHECK(series->points.count == 4 && series->is_cumulative);
    CHECK(isnan(series_step(&set, series, 0).increase));
    double sum = 0;
    for (size_t i = 1; i < 4; i++) {
        struct series_step const step = series_step(&set, series, i);
        CHECK(step.seconds == 10 && step.is_reset == (i == 2));
        sum += step.increase;
    }
    CHECK(sum == 130);
    CHECK(series_find(&set, "y", &series) == 1 && series->points.count == 3);
    CHECK(series_step(&set, series, 0).increase == 5); /* it was not there, so it was 0 */
    CHECK(series_find(&set, "z", &series) == 0);
    drop(run, &set);
}

TEST(a_process_that_says_it_is_another_began_anew)
{
    struct series_set set;
    const struct series *series;
    put("a.20261116_010000.metrics", "process_start_time_seconds 1000\n# TYPE x counter\nx 5\n");
    put("a.20261116_010010.metrics", "process_start_time_seconds 1000.4\n# TYPE x counter\nx 6\n");
    put("a.20261116_010020.metrics", "process_start_time_seconds 2000\n# TYPE x counter\nx 9\n");
    struct run *run = read_all(&set);
    CHECK(series_find(&set, "x", &series) == 1);
    CHECK(series_step(&set, series, 1).increase == 1 && !series_step(&set, series, 1).is_reset);
    CHECK(series_step(&set, series, 2).increase == 9 && series_step(&set, series, 2).is_reset);
    drop(run, &set);
}

TEST(labels_in_another_order_are_the_same_series_and_gaps_stay)
{
    struct series_set set;
    const struct series *series;
    put("a.20261116_010000.metrics", "x{p=\"1\",q=\"2\"} 5\nw 1\n");
    put("a.20261116_010010.metrics", "w 2\n");
    put("a.20261116_010020.500000.metrics", "w 3\nx{q=\"2\",p=\"1\"} 7\n");
    put("b.20261116_010000.metrics", "x{q=\"2\",p=\"1\"} 1\n");
    put("c.20261116_010000.metrics", "");
    struct run *run = read_all(&set);
    CHECK(series_find(&set, "x", &series) == 2 && series[0].node == 0 && series[1].node == 1);
    CHECK(series->points.count == 2 && series->points.items[1].scrape == 2);
    struct series_step const step = series_step(&set, series, 1);
    CHECK(step.increase == 2 && step.seconds == 20.5);
    CHECK(set.unread_files == 1 && set.scrapes.count == 5);
    uint32_t first;
    CHECK(series_scrapes_of(&set, 1, &first) == 1 && first == 3);
    drop(run, &set);
}

static bool counts_up(const struct series_set *set, const char *name, size_t at)
{
    const struct series *series;
    CHECK(series_find(set, name, &series) > at);
    return series[at].is_cumulative;
}

TEST(a_type_that_one_node_tells_counts_for_all)
{
    struct series_set set;
    const struct series *series;
    put("a.20261116_010000.metrics", "calls 1\nlevel_count 1\nh_sum 3\n");
    put("b.20261116_010000.metrics",
        "# TYPE calls counter\ncalls 1\n# TYPE level_count gauge\nlevel_count 1\n"
        "# TYPE h histogram\nh_sum 3\n");
    put("c.20261116_010000.metrics", "# TYPE calls gauge\ncalls 1\n");
    struct run *run = read_all(&set);
    CHECK(counts_up(&set, "calls", 0) && counts_up(&set, "calls", 1));
    CHECK(!counts_up(&set, "calls", 2)); /* its own word is nearer */
    CHECK(!counts_up(&set, "level_count", 0));
    CHECK(counts_up(&set, "h_sum", 0) && series_find(&set, "h_sum", &series) == 2);
    CHECK(series[0].family->type == EXPOSITION_HISTOGRAM);
    drop(run, &set);
}

TEST(where_nobody_tells_a_type_the_name_does)
{
    struct series_set set;
    put("a.20261116_010000.metrics",
        "x_total 1\nx_count 1\nx_sum 1\nx_bucket{le=\"1\"} 1\nx_bytes 1\n_total 1\n"
        "# TYPE late untyped\nlate 1\n");
    put("a.20261116_010010.metrics", "# TYPE late counter\nlate 2\n");
    struct run *run = read_all(&set);
    CHECK(counts_up(&set, "x_total", 0) && counts_up(&set, "x_count", 0));
    CHECK(counts_up(&set, "x_sum", 0) && counts_up(&set, "x_bucket", 0));
    CHECK(!counts_up(&set, "x_bytes", 0) && !counts_up(&set, "_total", 0));
    CHECK(counts_up(&set, "late", 0));
    drop(run, &set);
}

TEST(the_series_of_a_node_are_its_own_by_name)
{
    struct series_set set;
    size_t count;
    put("a.20261116_010000.metrics", "y{l=\"2\"} 1\ny{l=\"1\"} 2\nx 3\n");
    put("b.20261116_010000.metrics", "");
    put("c.20261116_010000.metrics", "x 4\ny{l=\"1\"} 5\n");
    struct run *run = read_all(&set);
    const uint32_t *own = series_of_node(&set, 0, &count);
    CHECK(count == 3);
    for (size_t i = 0; i < count; i++)
        CHECK(set.series.items[own[i]].node == 0 &&
              set.series.items[own[i]].points.items[0].whole == 3 - i);
    series_of_node(&set, 1, &count);
    CHECK(count == 0);
    own = series_of_node(&set, 2, &count);
    CHECK(count == 2 && set.series.items[own[0]].points.items[0].whole == 4 &&
          set.series.items[own[1]].points.items[0].whole == 5);
    drop(run, &set);
}

TEST(time_is_when_the_node_was_asked_if_the_run_says_so)
{
    struct series_set set;
    const struct series *series;
    put("a.20261116_010000.metrics", "x 1\n");
    put("a.20261116_010010.metrics", "x 2\n");
    put("fetches.jsonl",
        "{\"stamp\":\"20261116_010000\",\"node\":\"a\",\"kind\":\"metrics\",\"begin_us\":1000000,"
        "\"end_us\":1200000,\"status\":200}\n{\"stamp\":\"20261116_010010\",\"node\":\"a\","
        "\"kind\":"
        "\"metrics\",\"begin_us\":12000000,\"end_us\":12200000,\"status\":200}\n");
    struct run *run = read_all(&set);
    CHECK(series_find(&set, "x", &series) == 1);
    CHECK(series_time(&set, series->points.items[0]) == 1100000);
    CHECK(series_step(&set, series, 1).seconds == 11);
    drop(run, &set);
}

TEST(many_files_by_several_threads_are_as_one_and_packed_ones_count)
{
    struct series_set set;
    const struct series *series;
    static char text[200000];
    char name[64], path[300];
    for (unsigned i = 0; i < 40; i++) {
        size_t used = 0;
        for (unsigned line = 0; line < 2000; line++)
            used += (size_t)snprintf(text + used, sizeof(text) - used, "x{n=\"%u\"} %u\n", line,
                                     i * 10000 + line);
        snprintf(name, sizeof(name), "a.20261116_0100%02u.metrics%s", i, i == 7 ? ".gz" : "");
        snprintf(path, sizeof(path), "%s/%s", folder, name);
        if (i == 7) {
            gzFile file = gzopen(path, "w");
            CHECK(gzputs(file, text) > 0 && gzclose(file) == Z_OK);
        } else {
            put(name, text);
        }
    }
    struct run *run = read_all(&set);
    CHECK(set.series.count == 2000 && set.unread_files == 0);
    CHECK(series_find(&set, "x", &series) == 2000);
    for (size_t i = 0; i < 2000; i++) {
        unsigned const line = (unsigned)atoi(series[i].is->labels[0].value);
        CHECK(series[i].points.count == 40);
        for (unsigned at = 0; at < 40; at++)
            CHECK(series[i].points.items[at].whole == at * 10000 + line);
    }
    drop(run, &set);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_counter_that_begins_anew_gains_what_it_has),
        IN_FOLDER(a_process_that_says_it_is_another_began_anew),
        IN_FOLDER(labels_in_another_order_are_the_same_series_and_gaps_stay),
        IN_FOLDER(a_type_that_one_node_tells_counts_for_all),
        IN_FOLDER(where_nobody_tells_a_type_the_name_does),
        IN_FOLDER(the_series_of_a_node_are_its_own_by_name),
        IN_FOLDER(time_is_when_the_node_was_asked_if_the_run_says_so),
        IN_FOLDER(many_files_by_several_threads_are_as_one_and_packed_ones_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
