/* history_parts.h - inside the history: its handle, shared by the files that open, add, tidy and
 * read. */
#pragma once

#include <sqlite3.h>

#include "store/history/history.h"

struct history {
    sqlite3 *db;
    char *path;
    unsigned added; /* snapshots since the last tidying */
};

/* What SQLite last complained about, as our number and a sentence: "cannot WHAT the history
 * FILE: why; what to do". */
int history_fault(struct history *history, int code, const char *what, struct fault *fault);

/* Runs statements without results.  0 or what history_fault gave. */
int history_run(struct history *history, const char *sql, const char *what, struct fault *fault);

/* A transaction.  history_end commits, or rolls back when `err` is not 0; returns `err` or what
 * the commit gave. */
int history_begin(struct history *history, const char *what, struct fault *fault);
int history_end(struct history *history, int err, const char *what, struct fault *fault);
