/* run_book.h - run.db in the folder of a run: results that reports have computed from the files of
 * the run, in one SQLite file.
 *
 * The files are the source: run.db is made from them, updated whenever it is opened, and may be
 * deleted at any time.  A file is identified by name and size; a changed file is a new one, and the
 * results of the old one are removed.  Several processes may open run.db at once, also while the
 * run is written.  A damaged run.db, or one of another version, is made again.  In a folder without
 * write permission there is no run.db, or one that can only be read: reports work without it.
 *
 * Tables: node(id, nick, name, role, class), file(id, node, kind, stamp_us, begin_us, end_us,
 * bytes, name); the view capture joins both for people.  cluster/metrics/metrics_book.h adds the
 * metrics.  A report that stores results adds a table of its own:
 *
 *     struct run_book *book = run_book_open(run, &fault);      // NULL: work without
 *     run_book_table(book, "CREATE TABLE IF NOT EXISTS heap_total(file INTEGER PRIMARY KEY "
 *                          "REFERENCES file ON DELETE CASCADE, inuse_bytes INTEGER)", &fault);
 *     int64_t id = run_book_file(book, file);                  // 0: not in run.db
 *     … SELECT with run_book_db(book) …
 *     run_book_begin(book, &fault); … INSERT OR REPLACE INTO heap_total …
 *     run_book_commit(book, &fault);
 *     run_book_close(book);
 *
 * Only one transaction at a time is possible, and it should be short: other processes wait for its
 * end, but only for some seconds. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "cluster/runs/run.h"

struct run_book;

/* Opens run.db, creates it if necessary, and adds nodes and files.  Returns NULL with a sentence if
 * nothing can be stored; reports show the sentence only if they were asked to write run.db. */
struct run_book *run_book_open(const struct run *run, struct fault *fault);
/* rolls back an uncommitted transaction; NULL is allowed */
void run_book_close(struct run_book *book);

/* Returns whether run.db can only be read. */
bool run_book_is_read_only(const struct run_book *book);
sqlite3 *run_book_db(struct run_book *book);

/* Creates a table (or view) if it does not exist.  Returns 0 or -errno with a sentence. */
int run_book_table(struct run_book *book, const char *sql, struct fault *fault);
int run_book_begin(struct run_book *book, struct fault *fault);
int run_book_commit(struct run_book *book, struct fault *fault);

/* Returns the id of a file of the run in table `file`; 0: the table does not have the file, or the
 * file has changed since. */
int64_t run_book_file(const struct run_book *book, const struct run_file *file);
