/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/blocks/block_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

/* What the original wrote: {"block": {"rnd": 5, "ts": 1700000000, "tc": 42, "prev": 32 bytes,
 * "spt": {0: {"n": 256}}}, "_time": 1700000001.25} */
static const char original[] = "gqVibG9ja4Wjcm5kBaJ0c85lU/"
                               "EAonRjKqRwcmV2xCABAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAaNzcHSBA"
                               "IGhbs0BAKVfdGltZctB2VT8QFAAAA==";

static char path[64];

static int make_path(void **state)
{
    (void)state;
    strcpy(path, "/tmp/block_log_XXXXXX");
    int const fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

struct seen {
    size_t count;
    uint64_t first, last;
};

static int see(void *context, const struct block_record *record)
{
    struct seen *seen = context;
    if (seen->count++ == 0)
        seen->first = record->header.height;
    seen->last = record->header.height;
    return 0;
}

static struct block_record make_record(uint64_t height)
{
    struct block_record record = {.header = {.height = height,
                                             .time_s = 1700000000 + (int64_t)height,
                                             .has_total = true,
                                             .transactions_total = 10 * height},
                                  .arrival_ns = INT64_C(1700000000123456789) + (int64_t)height,
                                  .within_ns = 0};
    return record;
}

static void append(uint64_t from, uint64_t to)
{
    struct seen seen = {0};
    struct block_log *log = block_log_open(path, 4, see, &seen, NULL);
    CHECK(log);
    for (uint64_t height = from; height <= to; height++) {
        struct block_record const record = make_record(height);
        CHECK(block_log_append(log, &record, NULL) == 0);
    }
    CHECK(block_log_close(log, NULL) == 0);
}

TEST(the_originals_line_is_read)
{
    struct msgpack_out scratch = {0};
    struct block_record record;
    struct fault fault = {0};
    int const got = block_record_parse(slice_of(original), &scratch, &record, &fault);
    if (got != 1)
        fail_msg("%s", fault.text);
    CHECK(record.header.height == 5 && record.header.time_s == 1700000000);
    CHECK(record.header.has_total && record.header.transactions_total == 42);
    CHECK(record.arrival_ns == INT64_C(1700000001250000000));
    CHECK(!record.is_ours && record.within_ns == -1);
    assert_string_equal(record.header.parent, "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=");
    CHECK(block_record_parse(slice_of("# a comment"), &scratch, &record, NULL) == 0);
    CHECK(block_record_parse(slice_of(""), &scratch, &record, NULL) == 0);
    CHECK(block_record_parse(slice_of("gqVibG9j"), &scratch, &record, NULL) == -EINVAL);
    msgpack_fini(&scratch);
}

TEST(a_line_is_read_as_it_was_written)
{
    struct msgpack_out line = {0}, scratch = {0};
    struct block_record const record = {.header = {.height = 7,
                                                   .time_s = 9,
                                                   .has_total = true,
                                                   .transactions_total = 3,
                                                   .fields = {"\x82\xa3rnd\x07\xa4hash\xa2"
                                                              "ab",
                                                              14}},
                                        .arrival_ns = INT64_C(1763256000123456789),
                                        .within_ns = 250000000,
                                        .replaces = "cd"};
    struct block_record back;
    block_record_write(&line, &record);
    CHECK(!line.failed && line.data[line.size - 1] == '\n');
    CHECK(block_record_parse((struct slice){line.data, line.size - 1}, &scratch, &back, NULL) == 1);
    CHECK(back.header.height == 7 && back.header.transactions_total == 3);
    CHECK(back.arrival_ns == record.arrival_ns && back.within_ns == 250000000 && back.is_ours);
    assert_string_equal(back.header.hash, "ab");
    assert_string_equal(back.replaces, "cd");
    msgpack_fini(&line);
    msgpack_fini(&scratch);
}

TEST(S14_a_torn_last_line_is_taken_off_and_the_rest_kept)
{
    struct seen seen = {0};
    struct block_log_facts facts;
    append(1, 20);
    struct stat before;
    CHECK(stat(path, &before) == 0);
    CHECK(truncate(path, before.st_size - 7) == 0); /* killed in the middle of a write */
    struct block_log *log = block_log_open(path, 4, see, &seen, NULL);
    CHECK(log && seen.last == 19 && seen.count == 4);
    CHECK(block_log_repaired(log) > 0);
    CHECK(block_log_note(log, "for people", NULL) == 0);
    struct block_record const record = make_record(20);
    CHECK(block_log_append(log, &record, NULL) == 0);
    CHECK(block_log_close(log, NULL) == 0);
    seen = (struct seen){0};
    CHECK(block_log_read(path, see, &seen, &facts, NULL) == 0);
    CHECK(seen.count == 20 && seen.first == 1 && seen.last == 20 && facts.odd_lines == 0);
}

TEST(S14_only_the_end_is_read_to_go_on)
{
    struct seen seen = {0};
    append(1, 20000);
    struct stat facts;
    CHECK(stat(path, &facts) == 0 && facts.st_size > 1000000);
    struct block_log *log = block_log_open(path, 100, see, &seen, NULL);
    CHECK(log && seen.count == 100 && seen.last == 20000);
    CHECK(block_log_tail_read(log) <= 65536);
    CHECK(block_log_close(log, NULL) == 0);
}

TEST(comments_and_odd_lines_at_the_end_do_not_hide_the_last_record)
{
    struct seen seen = {0};
    append(1, 5);
    FILE *file = fopen(path, "a");
    for (int i = 0; i < 4000; i++)
        fputs("# nothing happened here, says a comment\n\n", file);
    fputs("this is no base64!\n", file);
    fclose(file);
    struct block_log *log = block_log_open(path, 2, see, &seen, NULL);
    CHECK(log && seen.count == 2 && seen.last == 5);
    CHECK(block_log_repaired(log) == 0);
    CHECK(block_log_close(log, NULL) == 0);
}

TEST(one_writer_at_a_time_and_no_foreign_file)
{
    struct seen seen = {0};
    struct fault fault = {0};
    struct block_log *log = block_log_open(path, 4, see, &seen, NULL);
    CHECK(log && !block_log_open(path, 4, see, &seen, &fault));
    CHECK(strstr(fault.text, "another"));
    CHECK(block_log_close(log, NULL) == 0);
    FILE *file = fopen(path, "w");
    fputs("dear diary\n", file);
    fclose(file);
    CHECK(!block_log_open(path, 4, see, &seen, &fault));
    CHECK(strstr(fault.text, "not a block history"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_originals_line_is_read),
        cmocka_unit_test(a_line_is_read_as_it_was_written),
        cmocka_unit_test_setup_teardown(S14_a_torn_last_line_is_taken_off_and_the_rest_kept,
                                        make_path, remove_path),
        cmocka_unit_test_setup_teardown(S14_only_the_end_is_read_to_go_on, make_path, remove_path),
        cmocka_unit_test_setup_teardown(
            comments_and_odd_lines_at_the_end_do_not_hide_the_last_record, make_path, remove_path),
        cmocka_unit_test_setup_teardown(one_writer_at_a_time_and_no_foreign_file, make_path,
                                        remove_path)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
