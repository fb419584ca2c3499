/* history.h - what services had of memory over weeks, in a SQLite file: one row set per snapshot.
 *
 * A service is a program by name on a host; each life of it is a run; each thing measured (a
 * total, a category, a call site) is a series of points.  Old points are merged, so the file
 * stays below HISTORY_BYTES_MAX however long it is written to.  Several processes may write the
 * same file; any of them may be killed at any instruction. docs/history-format.md describes the
 * tables.  One thread at a time per handle. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/vec.h"

#define HISTORY_VERSION   1
#define HISTORY_BYTES_MAX (256ll << 20)

/* Stored by number: append only, never reorder. */
enum history_kind { HISTORY_TOTAL = 1, HISTORY_CATEGORY = 2, HISTORY_SITE = 3 };
const char *history_kind_name(enum history_kind kind); /* "total", "category", "site" */

struct history_value {
    enum history_kind kind;
    const char *name;
    int64_t value;
};

/* One process at one instant. */
struct history_snapshot {
    const char *service, *host, *program, *source;
    uint32_t pid;
    uint64_t begin_ms; /* Unix time when the process began: tells its runs apart */
    uint64_t time_ms;  /* Unix time of the values */
    int64_t limit_bytes;
    const struct history_value *values;
    size_t count;
};

struct history;

/* Opens to write, makes the file (mode 0600) when there is none.  NULL with `fault`: another
 * program's, newer, damaged, or not to be written. */
struct history *history_open(const char *path, struct fault *fault);
/* Opens what is there, to read. */
struct history *history_open_to_read(const char *path, struct fault *fault);
void history_close(struct history *history);
/* How long to wait for another writer; 5 s unless told. */
void history_set_patience(struct history *history, int milliseconds);

/* Adds all of it or nothing.  0; -EBUSY when another writer held the file too long, -ENOSPC when
 * the disk is full, -EIO and others, with `fault`.  It may be tried again later. */
int history_add(struct history *history, const struct history_snapshot *snapshot,
                struct fault *fault);

/* Merges points that are old by the ladder below and drops what is over the size.  Called by
 * history_add now and then; by itself for tests. */
int history_tidy(struct history *history, uint64_t now_ms, int64_t max_bytes, struct fault *fault);

/* Points younger than `keep_ms` stay as they are; older ones become one per `step_ms` of the
 * next row. */
struct history_rung {
    uint64_t step_ms, keep_ms;
};
#define HISTORY_RUNGS 4
extern const struct history_rung history_ladder[HISTORY_RUNGS];

/* What is read. */
struct history_point {
    uint64_t time_ms,
        span_ms; /* the first value's time, and how long a stretch it stands for; 0: an instant */
    int64_t low, high, last;
    uint32_t run; /* index in the service's runs */
};
struct history_series {
    enum history_kind kind;
    char *name;
    VEC(struct history_point) points; /* by time */
};
struct history_run {
    int64_t id;
    uint32_t pid;
    uint64_t begin_ms, last_ms, snapshots;
    int64_t limit_bytes;
    char *program, *source;
};
struct history_service {
    char *name, *host;
    VEC(struct history_run) runs;      /* by when they began */
    VEC(struct history_series) series; /* by kind and name */
};
struct history_content {
    VEC(struct history_service) services; /* by name and host */
};

/* Reads the services of this name (NULL: all), from `since_ms` on; others are there without runs
 * and series.  0 or -errno with `fault`; call history_content_fini also after a failure. */
int history_read(struct history *history, const char *service, uint64_t since_ms,
                 struct history_content *content, struct fault *fault);
void history_content_fini(struct history_content *content);
