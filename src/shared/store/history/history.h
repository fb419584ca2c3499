/* history.h - the memory of services over weeks, in a SQLite file.
 *
 * A service is a program, by name, on a host; each process of it is a run; each measured figure (a
 * total, a category, a call site) is a series of points.  Old points are merged, so the file stays
 * below HISTORY_BYTES_MAX for ever.  Several processes may write the same file; each may be killed
 * at any instruction.  docs/history-format.md describes the tables.  One thread at a time per
 * handle. */
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
    uint64_t begin_ms; /* Unix time of the start of the process; identifies the run. */
    uint64_t time_ms;  /* Unix time of the values. */
    int64_t limit_bytes;
    const struct history_value *values;
    size_t count;
};

struct history;

/* Opens for writing; creates the file (mode 0600) if there is none.  Returns NULL with `fault` if
 * the file is of another program or a newer version, is damaged, or cannot be written. */
struct history *history_open(const char *path, struct fault *fault);
/* Opens an existing file for reading. */
struct history *history_open_to_read(const char *path, struct fault *fault);
void history_close(struct history *history);
/* Sets how long to wait for another writer; the default is 5 s. */
void history_set_patience(struct history *history, int milliseconds);

/* Adds a snapshot, or nothing on failure.  Returns 0; -EBUSY if another writer held the file too
 * long, -ENOSPC if the disk is full, -EIO and others, with `fault`.  The caller may try again. */
int history_add(struct history *history, const struct history_snapshot *snapshot,
                struct fault *fault);

/* Merges old points by the ladder below, and drops the oldest above `max_bytes`.  history_add calls
 * it now and then; public for tests. */
int history_tidy(struct history *history, uint64_t now_ms, int64_t max_bytes, struct fault *fault);

/* Points younger than `keep_ms` are kept; older points are merged to one per `step_ms` of the next
 * row. */
struct history_rung {
    uint64_t step_ms, keep_ms;
};
#define HISTORY_RUNGS 4
extern const struct history_rung history_ladder[HISTORY_RUNGS];

/* What history_read returns. */
struct history_point {
    uint64_t time_ms; /* Time of the first value. */
    uint64_t span_ms; /* Length of the time range of the point; 0: an instant. */
    int64_t low, high, last;
    uint32_t run; /* Index into the service's runs. */
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

/* Reads services by name (NULL: all), from `since_ms` on; other services get no runs and series.
 * Returns 0 or -errno with `fault`; call history_content_fini also after a failure. */
int history_read(struct history *history, const char *service, uint64_t since_ms,
                 struct history_content *content, struct fault *fault);
void history_content_fini(struct history_content *content);
