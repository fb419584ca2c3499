/* run_book.h - run.db in the folder of a run: what reports have worked out of its files, as one
 * SQLite file.
 *
 * The files are the truth: run.db is made from them, brought up to date whenever it is opened,
 * and may be deleted at any time.  Files are known by name and size; one that changed is a new
 * one, and what was worked out of the old goes with it.  Several may open it at once, also while
 * the run is written.  A book that is damaged or of another version is made anew.  A folder that
 * cannot be written to has no book, or one that can only be read: reports then work without.
 *
 * Tables: node(id, nick, name, role, class), file(id, node, kind, stamp_us, begin_us, end_us,
 * bytes, name); view capture has both for people. cluster/metrics/metrics_book.h adds the
 * metrics.  A report that wants to keep something gives it a table of its own:
 *
 *     struct run_book *book = run_book_open(run, &fault);      // NULL: work without
 *     run_book_table(book, "CREATE TABLE IF NOT EXISTS heap_total(file INTEGER PRIMARY KEY
 *     REFERENCES file ON DELETE CASCADE, inuse_bytes INTEGER)");
 *     int64_t id = run_book_file(book, file);                  // 0: not in the book
 *     … SELECT with run_book_db(book) …
 *     run_book_begin(book); … INSERT OR REPLACE INTO heap_total … run_book_commit(book);
 *     run_book_close(book);
 *
 * Begin at most one such change at a time and keep it short: others wait for it, at most some
 * seconds. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "cluster/runs/run.h"

struct run_book;

/* Opens run.db, makes it if need be, and enters nodes and files.  NULL with a sentence: nothing
 * can be kept; reports say it only when asked to write the book. */
struct run_book *run_book_open(const struct run *run, struct fault *fault);
void run_book_close(struct run_book *book); /* NULL is allowed; rolls back what was not committed */

/* Returns whether nothing can be written, only read. */
bool run_book_is_read_only(const struct run_book *book);
sqlite3 *run_book_db(struct run_book *book);

/* Makes a table (or view) if it is not there.  Returns 0 or -errno with a sentence. */
int run_book_table(struct run_book *book, const char *sql, struct fault *fault);
int run_book_begin(struct run_book *book, struct fault *fault);
int run_book_commit(struct run_book *book, struct fault *fault);

/* Returns the id of a file of the run in table `file`; 0: it is not there, or has changed since. */
int64_t run_book_file(const struct run_book *book, const struct run_file *file);
