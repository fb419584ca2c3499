/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/alerts/history_message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "cli/alerts/history_writer.h"

static struct history_message message;
static struct history_parts parts;

static struct history_value const values[] = {{HISTORY_TOTAL, "rss", 4096},
                                              {HISTORY_SITE, "cache_insert", 64}};
static struct history_snapshot const snapshot = {.service = "node",
                                                 .host = "here",
                                                 .program = "/usr/bin/node",
                                                 .source = "memoir run",
                                                 .pid = 42,
                                                 .begin_ms = 1000,
                                                 .time_ms = 2000,
                                                 .limit_bytes = 1 << 30,
                                                 .values = values,
                                                 .count = 2};

TEST(what_is_written_is_read)
{
    size_t const size = history_message_write(&message, &snapshot);
    CHECK(size > 0);
    CHECK(history_message_read(&message, size, &parts));
    assert_string_equal(parts.snapshot.service, "node");
    assert_string_equal(parts.snapshot.host, "here");
    assert_string_equal(parts.snapshot.program, "/usr/bin/node");
    assert_string_equal(parts.snapshot.source, "memoir run");
    assert_int_equal(parts.snapshot.pid, 42);
    assert_int_equal(parts.snapshot.begin_ms, 1000);
    assert_int_equal(parts.snapshot.time_ms, 2000);
    assert_int_equal(parts.snapshot.limit_bytes, 1 << 30);
    assert_int_equal(parts.snapshot.count, 2);
    assert_string_equal(parts.snapshot.values[1].name, "cache_insert");
    assert_int_equal(parts.snapshot.values[1].kind, HISTORY_SITE);
    assert_int_equal(parts.snapshot.values[1].value, 64);
}

/* In whole characters. */
TEST(long_names_are_cut)
{
    static char name[3 * HISTORY_NAME_MAX + 1];
    for (size_t i = 0; i + 1 < sizeof(name); i += 3)
        memcpy(name + i, "\xe2\x82\xac", 3);
    struct history_value const one = {HISTORY_SITE, name, 1};
    struct history_snapshot cut = snapshot;
    cut.values = &one;
    cut.count = 1;
    size_t const size = history_message_write(&message, &cut);
    CHECK(history_message_read(&message, size, &parts));
    size_t const length = strlen(parts.snapshot.values[0].name);
    assert_int_equal(length, (HISTORY_NAME_MAX - 1) / 3 * 3);
    assert_memory_equal(parts.snapshot.values[0].name, name, length);
}

TEST(too_many_values_are_no_message)
{
    struct history_snapshot many = snapshot;
    many.count = HISTORY_VALUES_MAX + 1;
    assert_int_equal(history_message_write(&message, &many), 0);
}

static bool still_reads(size_t size)
{
    return history_message_read(&message, size, &parts);
}

TEST(nonsense_is_refused)
{
    size_t const size = history_message_write(&message, &snapshot);
    CHECK(!still_reads(size - 1));
    CHECK(!still_reads(4));
    message.count = 3; /* more than there are texts */
    CHECK(!still_reads(size));
    message.count = UINT32_MAX;
    CHECK(!still_reads(size));
    message.count = 1; /* fewer */
    CHECK(!still_reads(size));
    message.count = 2;
    CHECK(still_reads(size));
    message.kinds[0] = 9;
    CHECK(!still_reads(size));
    message.kinds[0] = HISTORY_TOTAL;
    message.values[1] = -1;
    CHECK(!still_reads(size));
    message.values[1] = 1;
    message.time_ms = UINT64_MAX;
    CHECK(!still_reads(size));
    message.time_ms = 1;
    message.texts[message.text_size - 1] = 'x'; /* no end */
    CHECK(!still_reads(size));
    message.text_size = UINT32_MAX;
    CHECK(!still_reads(size));
}

/* By a process that may do nothing else. */
TEST(the_writer_writes)
{
    char folder[] = "/tmp/memoir-writer-XXXXXX", path[64], command[96];
    struct fault fault = {.text = ""};
    struct history_content content = {0};
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/h.db", folder);
    struct history_writer *writer = history_writer_begin(path, &fault);
    CHECK(writer);
    history_writer_add(writer, &snapshot);
    assert_int_equal(history_writer_end(writer), 0);
    struct history *history = history_open_to_read(path, &fault);
    CHECK(history);
    CHECK(history_read(history, NULL, 0, &content, &fault) == 0);
    assert_int_equal(content.services.count, 1);
    assert_int_equal(content.services.items[0].series.count, 2);
    history_content_fini(&content);
    history_close(history);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    CHECK(system(command) == 0);
    CHECK(!history_writer_begin(path, &fault)); /* its folder is gone */
    CHECK(fault.code == -ENOENT && fault.text[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(too_many_values_are_no_message),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(the_writer_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
