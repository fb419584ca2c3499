/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/watch/run_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include "check.h"
#include "folder.h"
#include "scrape/watch/round_set.h"

static bool is_there(const char *name)
{
    char path[400];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static int capture(struct run_writer *writer, const char *stamp, const char *text)
{
    struct run_capture one = {.fd = -1};
    int const err = run_capture_begin(writer, &one, "10.0.0.1:8580", stamp, RUN_HEAP);
    if (err)
        return err;
    CHECK(run_capture_write(writer, &one, slice_of(text)) == 0);
    CHECK(one.bytes == strlen(text));
    return run_capture_keep(writer, &one);
}

TEST(a_capture_appears_when_it_is_whole_and_is_for_its_owner)
{
    struct run_writer *writer = run_writer_open(folder, NULL);
    struct run_capture one = {.fd = -1};
    struct stat stat_;
    char path[300];
    CHECK(run_capture_begin(writer, &one, "r1", "20261116_013200", RUN_METRICS) == 0);
    CHECK(run_capture_write(writer, &one, slice_of("a 1\n")) == 0);
    CHECK(is_there(".r1.20261116_013200.metrics.part") && !is_there("r1.20261116_013200.metrics"));
    CHECK(run_capture_write(writer, &one, slice_of("b 2\n")) == 0);
    CHECK(run_capture_keep(writer, &one) == 0);
    CHECK(strcmp(text_of("r1.20261116_013200.metrics"), "a 1\nb 2\n") == 0);
    CHECK(!is_there(".r1.20261116_013200.metrics.part"));
    snprintf(path, sizeof(path), "%s/r1.20261116_013200.metrics", folder);
    CHECK(stat(path, &stat_) == 0 && (stat_.st_mode & 0777) == 0600);
    CHECK(run_capture_begin(writer, &one, "r1", "20261116_013201", RUN_METRICS) == 0);
    run_capture_drop(writer, &one);
    CHECK(!is_there(".r1.20261116_013201.metrics.part") && !is_there("r1.20261116_013201.metrics"));
    run_writer_close(writer);
}

TEST(a_capture_that_is_there_is_never_written_over)
{
    struct run_writer *writer = run_writer_open(folder, NULL);
    CHECK(run_writer_last_stamp(writer) == 0);
    CHECK(capture(writer, "20261116_013200", "first") == 0);
    CHECK(capture(writer, "20261116_013200", "second") == -EEXIST);
    CHECK(strcmp(text_of("10.0.0.1:8580.20261116_013200.heap"), "first") == 0);
    CHECK(capture(writer, "20261116_013205", "third") == 0);
    run_writer_close(writer);
    writer = run_writer_open(folder, NULL); /* goes on after the last */
    CHECK(run_writer_last_stamp(writer) == 1794792725000000);
    run_writer_close(writer);
}

TEST(one_writer_at_a_time_and_no_halves_of_a_dead_one)
{
    struct fault fault = {0};
    put(".r1.20261116_013200.heap.part", "half");
    struct run_writer *writer = run_writer_open(folder, NULL);
    CHECK(writer && !is_there(".r1.20261116_013200.heap.part"));
    CHECK(!run_writer_open(folder, &fault) && fault.code == -EBUSY);
    CHECK(strstr(fault.text, "another memoir watch"));
    run_writer_close(writer);
    CHECK(!run_writer_open("/proc/nothing", &fault) && fault.text[0]);
}

TEST(lines_are_whole_and_clean)
{
    struct run_writer *writer = run_writer_open(folder, NULL);
    struct run_fetch const fetch = {"20261116_013200", "r1", "heap", 5, 9, 401, 0, "say \"no\"\n"};
    run_writer_add_fetch(writer, &fetch);
    run_writer_log(writer, "it began");
    CHECK(!is_there("x") && text_of("fetches.jsonl")[0] == '\0');
    CHECK(run_writer_flush(writer) == 0);
    CHECK(strcmp(text_of("fetches.jsonl"),
                 "{\"stamp\":\"20261116_013200\",\"node\":\"r1\",\"kind\":\"heap\",\"begin_us\":5,"
                 "\"end_us\":9,\"status\":401,\"bytes\":0,\"why\":\"say \\\"no\\\"\\n\"}\n") == 0);
    CHECK(strstr(text_of("watch.log"), " it began\n"));
    run_writer_close(writer);
}

/* A limit on the size of files stands for a full disk: writes fail the same way, in the middle. */
TEST(without_room_lines_wait_and_none_is_torn)
{
    struct run_writer *writer = run_writer_open(folder, NULL);
    struct run_fetch const fetch = {"20261116_013200", "r1", "heap", 5, 9, 200, 1, ""};
    struct rlimit before, little;
    struct run_capture one = {.fd = -1};
    char large[8192];

    memset(large, 'x', sizeof(large));
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    little = before;
    little.rlim_cur = 300;
    run_writer_add_fetch(writer, &fetch);
    CHECK(run_writer_flush(writer) == 0);
    CHECK(setrlimit(RLIMIT_FSIZE, &little) == 0);
    for (int i = 0; i < 9; i++)
        run_writer_add_fetch(writer, &fetch);
    CHECK(run_writer_flush(writer) == -EFBIG && strlen(text_of("fetches.jsonl")) < 200);
    CHECK(run_capture_begin(writer, &one, "r1", "20261116_013200", RUN_HEAP) == 0);
    CHECK(run_capture_write(writer, &one, (struct slice){large, sizeof(large)}) == -EFBIG);
    CHECK(!one.name[0] && !is_there(".r1.20261116_013200.heap.part"));
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK(run_writer_flush(writer) == 0 && run_writer_lost_lines(writer) == 0);
    unsigned lines = 0;
    for (const char *at = text_of("fetches.jsonl"); *at; at++)
        lines += *at == '\n';
    CHECK(lines == 10);
    run_writer_close(writer);
}

TEST(names_that_are_too_long_are_refused)
{
    struct run_writer *writer = run_writer_open(folder, NULL);
    struct run_capture one = {.fd = -1};
    char nick[300];
    memset(nick, 'n', sizeof(nick));
    nick[240] = '\0';
    CHECK(run_capture_begin(writer, &one, nick, "20261116_013200", RUN_HEAP) == -ENAMETOOLONG);
    run_capture_drop(writer, &one);
    run_writer_close(writer);
}

TEST(rounds_are_kept_from_one_watch_to_the_next)
{
    struct run_writer *writer = run_writer_open(folder, NULL);
    struct round_set rounds = {0};
    CHECK(round_set_write(&rounds, writer) == 0);
    CHECK(strcmp(text_of("rounds.json"), "{\"min\":null,\"max\":null,\"all\":[]}\n") == 0);
    put("rounds.json", "{\"min\":3,\"max\":5,\"all\":[3,5]}");
    round_set_read(&rounds, run_writer_folder(writer));
    CHECK(!rounds.has_any);
    round_set_add(&rounds, 9);
    round_set_add(&rounds, 4);
    round_set_add(&rounds, 9);
    CHECK(rounds.first == 9 && rounds.max == 9 && rounds.min == 4);
    CHECK(round_set_write(&rounds, writer) == 0);
    CHECK(strcmp(text_of("rounds.json"), "{\"min\":3,\"max\":9,\"all\":[3,4,5,9]}\n") == 0);
    round_set_fini(&rounds);
    run_writer_close(writer);
}

int main(void)
{
#define RUN_TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        RUN_TEST(a_capture_appears_when_it_is_whole_and_is_for_its_owner),
        RUN_TEST(a_capture_that_is_there_is_never_written_over),
        RUN_TEST(one_writer_at_a_time_and_no_halves_of_a_dead_one),
        RUN_TEST(lines_are_whole_and_clean),
        RUN_TEST(without_room_lines_wait_and_none_is_torn),
        RUN_TEST(names_that_are_too_long_are_refused),
        RUN_TEST(rounds_are_kept_from_one_watch_to_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
