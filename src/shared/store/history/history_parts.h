/* history_parts.h - inside the history: its handle, shared by the files that open, add, tidy and
 * read. */
#pragma once

#include <sqlite3.h>

#include "store/history/history.h"

struct history {
    sqlite3 *db;
    char *path;     /* as it is called */
    int folder;     /* that it was found in, to be written; -1 */
    unsigned added; /* snapshots since the last tidying */
    uint64_t steps, steps_max;
};

/* The name of a way to files for SQLite by which a path is taken as it is: one that begins with the
 * descriptor of a folder stays with that. */
const char *history_own_system(void);

extern const char history_schema[]; /* makes an empty file a history */

/* Before anything of the file is read: a hostile one gets no more than its rows. */
void history_guard(struct history *history);
/* Before a piece of work: what it may take, by the size of the file. */
void history_guard_begin(struct history *history);
/* Whether it is ours and of a version we know, and nothing but that.  1 when there is nothing in it
 * yet. */
int history_check(struct history *history, struct fault *fault);

/* What SQLite last complained about, as our number and a sentence: "cannot WHAT the history
 * FILE: why; what to do". */
int history_fault(struct history *history, int code, const char *what, struct fault *fault);

/* Runs statements without results.  0 or what history_fault gave. */
int history_run(struct history *history, const char *sql, const char *what, struct fault *fault);

/* A transaction.  history_end commits, or rolls back when `err` is not 0; returns `err` or what
 * the commit gave. */
int history_begin(struct history *history, const char *what, struct fault *fault);
int history_end(struct history *history, int err, const char *what, struct fault *fault);
