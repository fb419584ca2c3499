/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/watch/run_manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "folder.h"

static unsigned count_of(const char *in, const char *what)
{
    unsigned count = 0;
    for (const char *at = in; (at = strstr(at, what)); at += strlen(what))
        count++;
    return count;
}

/* One watch of an address, into the folder. */
static void watch(const char *address, const char *why)
{
    struct node_list list;
    struct node_list_options const options = {.class_name = "go"};
    struct run_segment const segment = {.begin_us = 5,
                                        .end_us = why ? 9 : 0,
                                        .why = why,
                                        .command = "memoir watch",
                                        .captures = CAPTURE_HEAP | CAPTURE_RSS,
                                        .ticks = 3};
    struct run_writer *writer = run_writer_open(folder, NULL);
    struct run_manifest *manifest = run_manifest_create(writer);
    CHECK(node_list_init(&list, NULL) == 0 && node_list_add(&list, address, &options, NULL) == 0);
    CHECK(run_manifest_write(manifest, &list, &segment) == 0);
    run_manifest_destroy(manifest);
    run_writer_close(writer);
    node_list_fini(&list);
}

/* What reports make of it. */
static struct run *open_run(void)
{
    put("10.0.0.1:6060.20261116_013200.heap", "x");
    struct run *run = run_open(folder, NULL);
    CHECK(run);
    return run;
}

TEST(it_says_what_was_watched_and_reports_understand_it)
{
    watch("http://user:s3cret@10.0.0.1:6060", "for");
    const char *text = text_of("manifest.json");
    CHECK(strstr(text, "\"ended\":\"for\"") && strstr(text, "\"ticks\":3"));
    CHECK(strstr(text, "\"captures\":[\"heap\",\"rss\"]") && !strstr(text, "s3cret"));
    struct run *run = open_run();
    CHECK(run->nodes.count == 1 && strcmp(run->nodes.items[0].class_name, "go") == 0);
    CHECK(run_class_of(run, 0) && run_class_of(run, 0)->heap_metrics.count > 0);
    run_close(run);
}

TEST(a_later_watch_keeps_what_earlier_ones_said)
{
    watch("http://10.0.0.1:6060", NULL); /* was killed */
    watch("http://10.0.0.2:6060", "SIGTERM");
    watch("http://10.0.0.2:6060", "for");
    const char *text = text_of("manifest.json");
    CHECK(count_of(text, "\"command\"") == 3 && count_of(text, "\"ended\":null") == 1);
    CHECK(count_of(text, "\"nick\":\"10.0.0.1:6060\"") == 1);
    CHECK(count_of(text, "\"nick\":\"10.0.0.2:6060\"") == 1);
    CHECK(count_of(text, "\"name\":\"go\"") == 1);
    struct run *run = open_run();
    CHECK(run->nodes.count == 2);
    run_close(run);
}

TEST(what_is_no_manifest_is_put_aside)
{
    const char *const bad[] = {"nonsense", "{\"nodes\":[{\"nick\":\"a\"", "[]", "{\"segments\":3}"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        put("manifest.json", bad[i]);
        watch("http://10.0.0.1:6060", "for");
        CHECK(strcmp(text_of("manifest.json.old"), bad[i]) == 0);
        const char *text = text_of("manifest.json");
        CHECK(count_of(text, "\"command\"") == 1);
        CHECK(count_of(text, "\"nick\"") == 1);
    }
}

int main(void)
{
#define RUN_TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        RUN_TEST(it_says_what_was_watched_and_reports_understand_it),
        RUN_TEST(a_later_watch_keeps_what_earlier_ones_said),
        RUN_TEST(what_is_no_manifest_is_put_aside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
