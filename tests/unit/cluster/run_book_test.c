/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/runs/run_book.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "folder.h"

static int make_run(void **state)
{
    if (make_folder(state))
        return -1;
    put("a.20261116_010000.metrics", "x 1\n");
    put("a.20261116_010010.metrics", "x 2\n");
    put("b.20261116_010000.heap", "?");
    return 0;
}

static int64_t number(struct run_book *book, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    CHECK(sqlite3_prepare_v2(run_book_db(book), sql, -1, &statement, NULL) == SQLITE_OK);
    CHECK(sqlite3_step(statement) == SQLITE_ROW);
    int64_t const value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

static const char heap_table[] =
    "CREATE TABLE IF NOT EXISTS heap_total(file INTEGER PRIMARY KEY REFERENCES file ON DELETE "
    "CASCADE, bytes INTEGER)";

TEST(what_was_kept_stays_until_its_file_changes)
{
    struct fault fault;
    struct run *run = run_open(folder, &fault);
    struct run_book *book = run_book_open(run, &fault);
    CHECK(book && !run_book_is_read_only(book));
    CHECK(number(book, "SELECT count(*) FROM file") == 3);
    CHECK(number(book, "SELECT count(*) FROM capture WHERE node = 'a'") == 2);
    CHECK(run_book_table(book, heap_table, &fault) == 0);
    CHECK(run_book_begin(book, &fault) == 0);
    CHECK(sqlite3_exec(run_book_db(book),
                       "INSERT INTO heap_total SELECT id, 7 FROM file WHERE kind = 'heap'", NULL,
                       NULL, NULL) == SQLITE_OK);
    CHECK(run_book_commit(book, &fault) == 0);
    const struct run_file *heap;
    CHECK(run_files_of(run, 1, RUN_HEAP, &heap) == 1);
    int64_t const id = run_book_file(book, heap);
    CHECK(id > 0);
    run_book_close(book);
    book = run_book_open(run, &fault); /* again, nothing new */
    CHECK(book && run_book_file(book, heap) == id);
    CHECK(number(book, "SELECT sum(bytes) FROM heap_total") == 7);
    run_book_close(book);
    run_close(run);

    put("b.20261116_010000.heap", "longer");
    put("b.20261116_010010.heap", "new");
    run = run_open(folder, &fault);
    book = run_book_open(run, &fault);
    CHECK(book && number(book, "SELECT count(*) FROM heap_total") == 0);
    CHECK(number(book, "SELECT count(*) FROM file") == 4);
    CHECK(run_files_of(run, 1, RUN_HEAP, &heap) == 2);
    CHECK(run_book_file(book, heap) > 0 && run_book_file(book, heap) != id);
    run_book_close(book);
    run_close(run);
}

TEST(a_book_that_is_none_is_made_anew)
{
    struct fault fault;
    put("run.db", "this is no database at all, and long enough to be looked at as one: 100 bytes "
                  "of header would be here, if it were");
    struct run *run = run_open(folder, &fault);
    struct run_book *book = run_book_open(run, &fault);
    CHECK(book && number(book, "SELECT count(*) FROM file") == 3);
    CHECK(sqlite3_exec(run_book_db(book), "PRAGMA user_version = 99", NULL, NULL, NULL) == 0);
    run_book_close(book);
    book = run_book_open(run, &fault);
    CHECK(book && number(book, "PRAGMA user_version") == 1);
    run_book_close(book);
    run_close(run);
}

TEST(two_may_have_it_open)
{
    struct fault fault;
    struct run *run = run_open(folder, &fault);
    struct run_book *one = run_book_open(run, &fault), *two = run_book_open(run, &fault);
    CHECK(one && two);
    CHECK(number(one, "SELECT count(*) FROM node") == 2);
    CHECK(run_book_table(two, heap_table, &fault) == 0);
    CHECK(number(one, "SELECT count(*) FROM heap_total") == 0);
    run_book_close(one);
    run_book_close(two);
    run_close(run);
}

TEST(a_folder_that_cannot_be_written_has_none)
{
    struct fault fault = {.text = ""};
    if (geteuid() == 0)
        skip(); /* root writes anywhere; the system test does without */
    CHECK(chmod(folder, 0500) == 0);
    struct run *run = run_open(folder, &fault);
    CHECK(run && !run_book_open(run, &fault) && fault.code == -EROFS && fault.text[0]);
    run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_kept_stays_until_its_file_changes, make_run,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_book_that_is_none_is_made_anew, make_run, remove_folder),
        cmocka_unit_test_setup_teardown(two_may_have_it_open, make_run, remove_folder),
        cmocka_unit_test_setup_teardown(a_folder_that_cannot_be_written_has_none, make_run,
                                        remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
