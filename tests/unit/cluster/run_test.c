/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/runs/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "cluster/runs/run_parts.h"
#include "folder.h"

#define T0 INT64_C(1779926400000000) /* 20260528_000000 */

TEST(names_of_both_stamps_and_of_nicks_with_dots_and_colons)
{
    struct run_name name;
    CHECK(run_name_parse("Primary.20260528_000000.heap", &name) == 0);
    assert_string_equal(name.nick, "Primary");
    CHECK(name.stamp_us == T0 && name.kind == RUN_HEAP);
    CHECK(run_name_parse("203.0.113.11:8580.20260528_000000.250000.metrics", &name) == 0);
    assert_string_equal(name.nick, "203.0.113.11:8580");
    CHECK(name.stamp_us == T0 + 250000 && name.kind == RUN_METRICS);
    CHECK(run_name_parse("a.20260528_000000.metrics.gz", &name) == 0 && name.kind == RUN_METRICS);
    CHECK(run_name_parse("a.20260528_000000.blockinfo.json", &name) == 0);
    CHECK(name.kind == RUN_BLOCKINFO);
    CHECK(run_name_parse("a.20260528_000000.profile?seconds=90", &name) == 0);
    CHECK(name.kind == RUN_CPU);
    CHECK(run_name_parse("[::1]:80.20240229_235959.mutex", &name) == 0 && name.kind == RUN_MUTEX);
    assert_string_equal(name.nick, "[::1]:80");
    CHECK(run_name_parse("x.20260528_000000.20260528_000001.block", &name) == 0);
    assert_string_equal(name.nick, "x.20260528_000000");
}

TEST(other_names_are_none)
{
    static const char *const wrong[] = {
        "",
        "heap",
        ".heap",
        "a.heap",
        "a.heap.csv",
        ".20260528_000000.heap",
        ".a.20260528_000000.heap.part",
        "20260528_000000.heap",
        "a.20260528-000000.heap",
        "a.20260532_000000.heap",
        "a.20230229_000000.heap",
        "a.20260528_240000.heap",
        "a.20260528_000060.heap",
        "a.20260528_000000.heap.inuse.svg",
        "a.20260528_000000.profile?seconds=",
        "a.20260528_000000.profile?seconds=9x",
        "a.20260528_000000.0123456789.heap",
        "a20260528_000000.heap",
    };
    struct run_name name;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (run_name_parse(wrong[i], &name) != -EINVAL)
            fail_msg("%s was taken for a capture", wrong[i]);
    char long_name[400];
    memset(long_name, 'n', sizeof(long_name));
    strcpy(long_name + 300, ".20260528_000000.heap");
    CHECK(run_name_parse(long_name, &name) == -EINVAL);
}

TEST(stamps_are_written_as_they_are_read)
{
    char text[RUN_STAMP_MAX];
    assert_string_equal(run_stamp_text(T0, 0, text), "20260528_000000");
    assert_string_equal(run_stamp_text(T0, 1, text), "20260528_000000.000000");
    assert_string_equal(run_stamp_text(T0 + 42, 0, text), "20260528_000000.000042");
    assert_string_equal(run_stamp_text(-1, 0, text), "19691231_235959.999999");
}

/* Case 18.1 in small: a folder of the original scripts, with its inventory and nothing of ours. */
TEST(a_run_of_the_original_opens)
{
    put("203.0.113.11:8580.20260528_000000.heap", "12345");
    put("203.0.113.11:8580.20260528_000010.heap", "x");
    put("203.0.113.11:8580.20260528_000010.metrics", "x");
    put("203.0.113.2:8580.20260528_000000.heap", "x");
    put("203.0.113.2:8580.20260528_000000.profile?seconds=90", "x");
    put("203.0.113.11:8580.20260528_000000.heap.inuse.svg", "x");
    put("terraform-inventory.host", "[name_r1]\n203.0.113.11\n[name_n1]\n203.0.113.2\n"
                                    "[role_relay]\n203.0.113.11\n");
    put("heap_inuse_totals.json", "{}");
    put("notes of mine.txt", "x");
    struct fault fault;
    struct run *run = run_open(folder, &fault);
    assert_non_null(run);
    assert_int_equal(run->nodes.count, 2);
    assert_string_equal(run->nodes.items[0].name, "n1");
    assert_string_equal(run->nodes.items[0].role, "node");
    assert_string_equal(run->nodes.items[1].name, "r1");
    assert_string_equal(run->nodes.items[1].nick, "203.0.113.11:8580");
    assert_string_equal(run->nodes.items[1].role, "relay");
    assert_string_equal(run->nodes.items[1].class_name, "algod");
    assert_int_equal(run->stamps.count, 2);
    assert_int_equal(run->strangers, 1);
    const struct run_file *first;
    assert_int_equal(run_files_of(run, 1, RUN_HEAP, &first), 2);
    CHECK(first[0].stamp_us == T0 && first[1].stamp_us == T0 + 10000000);
    assert_int_equal(first[0].bytes, 5);
    assert_int_equal(run_files_of(run, 0, RUN_CPU, &first), 1);
    assert_int_equal(run_files_of(run, 0, RUN_METRICS, &first), 0);
    CHECK(run_node_of(run, "203.0.113.2:8580") == 0 && run_node_of(run, "203.0.113.2") == -1);
    run_files_of(run, 1, RUN_HEAP, &first);
    int const opened = run_file_open(run, first);
    char bytes[8];
    assert_int_equal(read(opened, bytes, sizeof(bytes)), 5);
    close(opened);
    run_close(run);
}

/* Case C7: a run with a period below a second, whose first stamp has no fraction. */
TEST(stamps_with_and_without_fraction_are_in_order)
{
    put("a.20260528_000000.heap", "x");
    put("a.20260528_000000.500000.heap", "x");
    put("a.20260528_000001.000000.heap", "x");
    struct run *run = run_open(folder, NULL);
    assert_non_null(run);
    const struct run_file *first;
    assert_int_equal(run_files_of(run, 0, RUN_HEAP, &first), 3);
    CHECK(first[0].stamp_us == T0 && first[1].stamp_us == T0 + 500000 &&
          first[2].stamp_us == T0 + 1000000);
    run_close(run);
}

TEST(the_manifest_names_nodes_and_fetches_tell_times)
{
    put("manifest.json",
        "{\"version\":1,\"classes\":[{\"name\":\"etcd\",\"height\":\"h\",\"sent\":[\"s1\",\"s2\"],"
        "\"heap_metrics\":[\"inuse=m\"]}],\"nodes\":[{\"nick\":\"b\",\"name\":\"n10\",\"role\":"
        "\"leaf\",\"class\":\"etcd\"},{\"name\":\"n2\",\"nick\":\"c\"},{\"nick\":\"gone\"}]}");
    put("b.20260528_000000.metrics", "plain");
    put("b.20260528_000000.metrics.gz", "packed");
    put("fetches.jsonl",
        "{\"stamp\":\"20260528_000000\",\"node\":\"b\",\"kind\":\"metrics\",\"begin_us\":7,"
        "\"end_us\":9,\"status\":200,\"bytes\":5}\nnonsense\n"
        "{\"stamp\":\"20260528_000000\",\"node\":\"c\",\"kind\":\"heap\",\"status\":0,"
        "\"why\":\"timeout\"}\n{\"stamp\":\"20260528_000010\",\"node\":\"c\",\"kind\":\"heap\","
        "\"status\":500}\n{\"stamp\":\"2026");
    struct run *run = run_open(folder, NULL);
    assert_non_null(run);
    assert_int_equal(run->nodes.count, 3);
    assert_string_equal(run->nodes.items[0].name, "gone");
    assert_string_equal(run->nodes.items[1].name, "n2");
    assert_string_equal(run->nodes.items[2].name, "n10");
    assert_string_equal(run->nodes.items[2].role, "leaf");
    assert_int_equal(run->nodes.items[1].gaps, 2);
    const struct run_file *first;
    assert_int_equal(run_files_of(run, 2, RUN_METRICS, &first), 1);
    assert_string_equal(first->name, "b.20260528_000000.metrics");
    CHECK(first->begin_us == 7 && first->end_us == 9 && first->bytes == 5);
    const struct run_class *class = run_class_of(run, 2);
    assert_non_null(class);
    assert_string_equal(class->height, "h");
    CHECK(class->sent.count == 2 && class->heap_metrics.count == 1 && !class->pool);
    CHECK(run_class_of(run, 1) == NULL);
    run_close(run);
}

TEST(a_node_with_sizes_only_is_a_node)
{
    put("node.heap.csv", "20260528_000000,2026-05-28 00:00:00,1,2\n");
    struct run *run = run_open(folder, NULL);
    assert_non_null(run);
    CHECK(run->nodes.count == 1 && run->files.count == 0 && run->stamps.count == 0);
    run_close(run);
}

TEST(what_is_no_run_is_told)
{
    struct fault fault = {.text = ""};
    CHECK(run_open(folder, &fault) == NULL && strstr(fault.text, "is not a run"));
    CHECK(run_open("/nowhere/at/all", &fault) == NULL && strstr(fault.text, "cannot open"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_both_stamps_and_of_nicks_with_dots_and_colons),
        cmocka_unit_test(other_names_are_none),
        cmocka_unit_test(stamps_are_written_as_they_are_read),
        cmocka_unit_test_setup_teardown(a_run_of_the_original_opens, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(stamps_with_and_without_fraction_are_in_order, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(the_manifest_names_nodes_and_fetches_tell_times,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_node_with_sizes_only_is_a_node, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(what_is_no_run_is_told, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
