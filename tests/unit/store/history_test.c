/* SPDX-License-Identifier: Apache-2.0 */
#include "store/history/history.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "store/history/history_queue.h"

#define HOUR UINT64_C(3600000)
#define DAY  (24 * HOUR)
#define MIB  (INT64_C(1) << 20)
#define NOW  UINT64_C(1800000000000)

static char folder[64], path[128];
static struct fault fault;
static struct history_content content;

static int begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/memoir-history-XXXXXX");
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/h.db", folder);
    memset(&fault, 0, sizeof(fault));
    return 0;
}

static int end(void **state)
{
    char command[200];
    (void)state;
    history_content_fini(&content);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command) != 0;
}

static int add(struct history *history, uint32_t pid, uint64_t time_ms, int64_t rss)
{
    struct history_value const values[] = {{HISTORY_TOTAL, "rss", rss},
                                           {HISTORY_TOTAL, "heap.live", rss / 2},
                                           {HISTORY_SITE, "cache_insert", rss / 4}};
    struct history_snapshot const snapshot = {.service = "node",
                                              .host = "here",
                                              .program = "/usr/bin/node",
                                              .source = "memoir run",
                                              .pid = pid,
                                              .begin_ms = NOW - 10 * DAY + pid,
                                              .time_ms = time_ms,
                                              .limit_bytes = 4096 * MIB,
                                              .values = values,
                                              .count = 3};
    return history_add(history, &snapshot, &fault);
}

static const struct history_series *read_series(const char *name)
{
    struct history *history = history_open_to_read(path, &fault);
    if (!history)
        fail_msg("%s", fault.text);
    history_content_fini(&content);
    CHECK(history_read(history, NULL, 0, &content, &fault) == 0);
    history_close(history);
    if (content.services.count == 0)
        return NULL;
    vec_each (series, &content.services.items[0].series)
        if (strcmp(series->name, name) == 0)
            return series;
    return NULL;
}

TEST(what_is_added_is_read_back)
{
    struct history *history = history_open(path, &fault);
    CHECK(history);
    CHECK(add(history, 7, NOW, 100 * MIB) == 0 && add(history, 7, NOW + 10000, 120 * MIB) == 0);
    const struct history_series *rss = read_series("rss"); /* while it is open to write */
    history_close(history);
    CHECK(rss && rss->kind == HISTORY_TOTAL && rss->points.count == 2);
    CHECK(rss->points.items[1].time_ms == NOW + 10000 && rss->points.items[1].last == 120 * MIB);
    const struct history_service *service = &content.services.items[0];
    assert_string_equal(service->name, "node");
    assert_string_equal(service->host, "here");
    assert_int_equal(service->series.count, 3);
    assert_int_equal(service->runs.count, 1);
    CHECK(service->runs.items[0].pid == 7 && service->runs.items[0].snapshots == 2);
    CHECK(service->runs.items[0].limit_bytes == 4096 * MIB);
    struct stat facts;
    CHECK(stat(path, &facts) == 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
}

TEST(a_service_that_starts_again_is_the_same_with_another_run)
{
    struct history *history = history_open(path, &fault);
    CHECK(add(history, 7, NOW, MIB) == 0 && add(history, 9, NOW + 5000, 2 * MIB) == 0);
    history_close(history);
    history = history_open(path, &fault);
    CHECK(history && add(history, 9, NOW + 9000, 3 * MIB) == 0);
    history_close(history);
    const struct history_series *rss = read_series("rss");
    CHECK(content.services.count == 1 && content.services.items[0].runs.count == 2);
    CHECK(rss->points.count == 3 && rss->points.items[0].run == 0 && rss->points.items[2].run == 1);
}

TEST(old_points_become_fewer_and_keep_their_least_and_most)
{
    struct history *history = history_open(path, &fault);
    for (uint64_t i = 0; i < 600; i++) /* 10 hours, a point a minute, 3 days ago */
        CHECK(add(history, 7, NOW - 3 * DAY + i * 60000, (int64_t)(100 + i % 10) * MIB) == 0);
    CHECK(add(history, 7, NOW, 5 * MIB) == 0);
    CHECK(history_tidy(history, NOW, HISTORY_BYTES_MAX, &fault) == 0);
    const struct history_series *rss = read_series("rss");
    assert_int_equal(rss->points.count, 61);
    const struct history_point *first = &rss->points.items[0];
    CHECK(first->low == 100 * MIB && first->high == 109 * MIB && first->last == 109 * MIB);
    assert_int_equal(first->span_ms, 600000);
    CHECK(rss->points.items[60].span_ms == 0);
    CHECK(history_tidy(history, NOW, HISTORY_BYTES_MAX, &fault) == 0); /* nothing left to do */
    assert_int_equal(read_series("rss")->points.count, 61);
    CHECK(history_tidy(history, NOW + 800 * DAY, HISTORY_BYTES_MAX, &fault) == 0);
    CHECK(read_series("rss") == NULL && content.services.count == 0);
    history_close(history);
}

TEST(a_file_over_its_size_loses_the_oldest)
{
    struct history *history = history_open(path, &fault);
    for (uint64_t i = 0; i < 1000; i++)
        CHECK(add(history, 7, NOW - 1000000 + i * 1000, MIB) == 0);
    CHECK(history_tidy(history, NOW, 60000, &fault) == 0);
    history_close(history);
    struct stat facts;
    CHECK(stat(path, &facts) == 0 && facts.st_size < 100000);
    const struct history_series *rss = read_series("rss");
    CHECK(rss->points.count > 50 && rss->points.items[rss->points.count - 1].time_ms == NOW - 1000);
}

TEST(sites_that_were_long_not_seen_go)
{
    struct history *history = history_open(path, &fault);
    for (uint64_t i = 0; i < 300; i++) {
        char name[32];
        snprintf(name, sizeof(name), "site_%u", (unsigned)i);
        struct history_value const value = {HISTORY_SITE, name, 1};
        struct history_snapshot const snapshot = {.service = "node",
                                                  .host = "here",
                                                  .begin_ms = 1,
                                                  .time_ms = NOW + i,
                                                  .values = &value,
                                                  .count = 1};
        CHECK(history_add(history, &snapshot, &fault) == 0);
    }
    CHECK(history_tidy(history, NOW, HISTORY_BYTES_MAX, &fault) == 0);
    history_close(history);
    CHECK(read_series("site_299") && !read_series("site_100"));
    assert_int_equal(content.services.items[0].series.count, 96);
}

static void write_file(const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fwrite(text, 1, size, file) == size && fclose(file) == 0);
}

TEST(what_is_not_ours_is_refused_and_stays_as_it_was)
{
    char text[5000];
    memset(text, 'x', sizeof(text));
    write_file(text, sizeof(text));
    CHECK(!history_open(path, &fault) && strstr(fault.text, "not a database"));
    CHECK(!history_open_to_read(path, &fault) && strstr(fault.text, "not a database"));
    unlink(path);
    sqlite3 *db;
    CHECK(sqlite3_open(path, &db) == SQLITE_OK);
    CHECK(sqlite3_exec(db, "CREATE TABLE bookmarks (url)", NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(db);
    CHECK(!history_open(path, &fault) && strstr(fault.text, "of another program"));
    unlink(path);
    history_close(history_open(path, &fault));
    CHECK(sqlite3_open(path, &db) == SQLITE_OK);
    CHECK(sqlite3_exec(db, "PRAGMA user_version = 99", NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(db);
    CHECK(!history_open(path, &fault) && strstr(fault.text, "newer memoir"));
    CHECK(!history_open("/nonexistent/h.db", &fault) && strstr(fault.text, "cannot write"));
    CHECK(!history_open_to_read("/nonexistent/h.db", &fault) && strstr(fault.text, "cannot open"));
    CHECK(!history_open("/dev/null", &fault) && strstr(fault.text, "not a file"));
}

/* What a stranger may make of a history of ours. */
static void spoil(const char *sql)
{
    sqlite3 *db;
    struct history *history = history_open(path, &fault);
    CHECK(history && add(history, 7, NOW, MIB) == 0);
    history_close(history);
    CHECK(sqlite3_open(path, &db) == SQLITE_OK);
    CHECK(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(db);
}

TEST(a_history_has_its_own_tables_and_no_other_parts)
{
    static const char *const spoilt[] = {
        "DROP TABLE point; CREATE VIEW point AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT"
        " x + 1 FROM c) SELECT 1 AS series, 1800000000000 + x AS time_ms, 1 AS run, 0 AS span_ms,"
        " 5 AS low, 6 AS high, 5 AS last FROM c",
        "DROP TABLE point; CREATE TABLE point (series INTEGER NOT NULL, time_ms INTEGER NOT NULL,"
        " run INTEGER NOT NULL, span_ms INTEGER NOT NULL, low INTEGER NOT NULL, high INTEGER NOT"
        " NULL, last INTEGER AS (length(printf('%.*c', 9000, 'x'))), PRIMARY KEY (series, "
        "time_ms,"
        " run)) WITHOUT ROWID",
        "CREATE TRIGGER more AFTER INSERT ON point BEGIN DELETE FROM service; END",
        "CREATE VIEW other AS SELECT 1",
        "CREATE INDEX costly ON service (length(printf('%.*c', 9000, 'x')))",
        "CREATE TABLE other (a)",
        "DROP TABLE point",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE VIEW point AS SELECT 1"
        " AS series' WHERE name = 'point'"};
    for (size_t i = 0; i < sizeof(spoilt) / sizeof(spoilt[0]); i++) {
        spoil(spoilt[i]);
        memset(&fault, 0, sizeof(fault));
        CHECK(!history_open_to_read(path, &fault) && fault.text[0]);
        CHECK(!history_open(path, &fault));
        CHECK(!strstr(fault.text, "No such file"));
        unlink(path);
    }
}

/* An inner page of which every entry leads to the same page, over and over: few bytes, no end. */
TEST(pages_that_lead_to_each_other_do_not_keep_us_busy)
{
    struct history *history = history_open(path, &fault);
    for (uint64_t i = 0; i < 3000; i++)
        CHECK(add(history, 7, NOW + i * 1000, MIB) == 0);
    history_close(history);
    sqlite3 *db;
    sqlite3_stmt *statement;
    CHECK(sqlite3_open(path, &db) == SQLITE_OK);
    CHECK(sqlite3_exec(db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL) == SQLITE_OK);
    CHECK(sqlite3_prepare_v2(db, "SELECT rootpage FROM sqlite_schema WHERE name = 'point'", -1,
                             &statement, NULL) == SQLITE_OK);
    CHECK(sqlite3_step(statement) == SQLITE_ROW);
    off_t const root = sqlite3_column_int64(statement, 0) - 1;
    sqlite3_finalize(statement);
    sqlite3_close(db);
    unsigned char page[4096], children[8][4];
    int const fd = open(path, O_RDWR);
    CHECK(pread(fd, page, sizeof(page), root * 4096) == 4096 && page[0] == 2); /* an inner one */
    unsigned const cells = page[3] * 256u + page[4];
    CHECK(cells >= 20);
    for (unsigned i = 0; i < 8; i++)
        memcpy(children[i], page + page[12 + 2 * i] * 256u + page[13 + 2 * i], 4);
    off_t at = root;
    for (unsigned level = 0; level < 8; level++) {
        const unsigned char *next = children[level];
        for (unsigned i = 0; i < cells; i++)
            memcpy(page + page[12 + 2 * i] * 256u + page[13 + 2 * i], next, 4);
        memcpy(page + 8, next, 4);
        CHECK(pwrite(fd, page, sizeof(page), at * 4096) == 4096);
        at = (off_t)next[2] * 256 + next[3] - 1;
    }
    close(fd);
    history = history_open_to_read(path, &fault);
    CHECK(history != NULL);
    CHECK(history_read(history, NULL, 0, &content, &fault) < 0 && strstr(fault.text, "damaged"));
    history_close(history);
}

TEST(a_link_in_the_folder_of_another_is_not_followed)
{
    char other[100], way[200];
    if (geteuid() != 0)
        skip();
    snprintf(other, sizeof(other), "%.60s/theirs", folder);
    snprintf(way, sizeof(way), "%s/h.db", other);
    CHECK(symlink("/tmp", other) == 0 && lchown(other, 65534, 65534) == 0);
    CHECK(!history_open(way, &fault) && strstr(fault.text, "of another user"));
}

TEST(an_empty_file_becomes_a_history_but_has_nothing_to_read)
{
    write_file("", 0);
    CHECK(!history_open_to_read(path, &fault) && strstr(fault.text, "is empty"));
    struct history *history = history_open(path, &fault);
    CHECK(history && add(history, 7, NOW, MIB) == 0);
    history_close(history);
    CHECK(read_series("rss"));
}

TEST(damage_is_told_and_never_more_than_that)
{
    struct history *history = history_open(path, &fault);
    for (uint64_t i = 0; i < 500; i++)
        CHECK(add(history, 7, NOW + i * 1000, MIB) == 0);
    history_close(history);
    struct stat facts;
    CHECK(stat(path, &facts) == 0);
    int const fd = open(path, O_RDWR);
    for (off_t at = 4096; at < facts.st_size; at += 97) {
        char const bad = (char)(at * 31);
        CHECK(pwrite(fd, &bad, 1, at) == 1);
    }
    close(fd);
    history = history_open_to_read(path, &fault);
    if (history) {
        int const err = history_read(history, NULL, 0, &content, &fault);
        CHECK(err == 0 || fault.text[0]);
        history_close(history);
    } else {
        CHECK(fault.text[0]);
    }
}

TEST(a_writer_that_is_killed_leaves_whole_snapshots)
{
    for (unsigned round = 0; round < 5; round++) {
        pid_t const child = fork();
        if (child == 0) {
            struct history *history = history_open(path, &fault);
            for (uint64_t i = 0; history && i < 1000000; i++)
                if (add(history, 10 + round, NOW + i, MIB) < 0)
                    _exit(1);
            _exit(1);
        }
        usleep(60000);
        kill(child, SIGKILL);
        CHECK(waitpid(child, NULL, 0) == child);
    }
    const struct history_series *rss = read_series("rss");
    size_t const count = rss ? rss->points.count : 0;
    CHECK(count > 0);
    assert_int_equal(read_series("cache_insert")->points.count, count);
}

TEST(two_writers_share_a_file)
{
    pid_t children[2];
    for (unsigned i = 0; i < 2; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            struct history *history = history_open(path, &fault);
            bool good = history;
            for (uint64_t n = 0; good && n < 300; n++)
                good = add(history, 20 + i, NOW + n, MIB) == 0;
            history_close(history);
            _exit(good ? 0 : 1);
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        int status = -1;
        CHECK(waitpid(children[i], &status, 0) == children[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(read_series("rss")->points.count, 600);
}

TEST(many_may_begin_the_same_file_at_once)
{
    for (unsigned round = 0; round < 20; round++) {
        pid_t children[6];
        unlink(path);
        for (unsigned i = 0; i < 6; i++) {
            children[i] = fork();
            if (children[i] == 0) {
                struct history *history = history_open(path, &fault);
                bool const good = history && add(history, 30 + i, NOW, MIB) == 0;
                if (!good)
                    fprintf(stderr, "%s\n", fault.text);
                history_close(history);
                _exit(good ? 0 : 1);
            }
        }
        for (unsigned i = 0; i < 6; i++) {
            int status = -1;
            CHECK(waitpid(children[i], &status, 0) == children[i]);
            assert_int_equal(status, 0);
        }
        CHECK(read_series("rss") && content.services.items[0].runs.count == 6);
    }
}

TEST(a_queue_writes_everything_and_says_once_what_went_wrong)
{
    struct history_value const value = {HISTORY_TOTAL, "rss", MIB};
    struct history_snapshot snapshot = {.service = "node",
                                        .host = "here",
                                        .begin_ms = 1,
                                        .time_ms = NOW,
                                        .values = &value,
                                        .count = 1};
    struct history_queue *queue = history_queue_create(path, &fault);
    CHECK(queue);
    for (unsigned i = 0; i < 50; i++, snapshot.time_ms += 1000)
        history_queue_add(queue, &snapshot);
    assert_int_equal(history_queue_finish(queue), 0);
    assert_int_equal(read_series("rss")->points.count, 50);

    sqlite3 *db;
    queue = history_queue_create(path, &fault);
    CHECK(sqlite3_open(path, &db) == SQLITE_OK);
    CHECK(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK);
    for (unsigned i = 0; i < 200; i++, snapshot.time_ms += 1000)
        history_queue_add(queue, &snapshot); /* nobody waits, though the file is taken */
    unsigned told = 0;
    for (unsigned i = 0; i < 1200 && told == 0; i++, usleep(10000))
        told += history_queue_fault(queue, &fault);
    CHECK(told == 1 && strstr(fault.text, "another process"));
    CHECK(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(db);
    CHECK(history_queue_finish(queue) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_added_is_read_back, begin, end),
        cmocka_unit_test_setup_teardown(a_service_that_starts_again_is_the_same_with_another_run,
                                        begin, end),
        cmocka_unit_test_setup_teardown(old_points_become_fewer_and_keep_their_least_and_most,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_file_over_its_size_loses_the_oldest, begin, end),
        cmocka_unit_test_setup_teardown(sites_that_were_long_not_seen_go, begin, end),
        cmocka_unit_test_setup_teardown(what_is_not_ours_is_refused_and_stays_as_it_was, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_history_has_its_own_tables_and_no_other_parts, begin,
                                        end),
        cmocka_unit_test_setup_teardown(pages_that_lead_to_each_other_do_not_keep_us_busy, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_link_in_the_folder_of_another_is_not_followed, begin,
                                        end),
        cmocka_unit_test_setup_teardown(an_empty_file_becomes_a_history_but_has_nothing_to_read,
                                        begin, end),
        cmocka_unit_test_setup_teardown(damage_is_told_and_never_more_than_that, begin, end),
        cmocka_unit_test_setup_teardown(a_writer_that_is_killed_leaves_whole_snapshots, begin, end),
        cmocka_unit_test_setup_teardown(two_writers_share_a_file, begin, end),
        cmocka_unit_test_setup_teardown(many_may_begin_the_same_file_at_once, begin, end),
        cmocka_unit_test_setup_teardown(a_queue_writes_everything_and_says_once_what_went_wrong,
                                        begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
