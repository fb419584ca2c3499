/* running.h - sums per stack that are kept up to date while a recording grows, and their growth
 * since a mark.
 *
 * Each bucket is added once, so an update costs only what is new.  Memory: 8 bytes per stack and
 * used column, at most a dozen columns, and as much again for a mark.  Stacks are identified by
 * their id, so the sums stay valid when the recording is replaced by a coarser copy of itself. */
#pragma once

#include "analyze/sums/weigh.h"

struct running;

struct running *running_create(void); /* NULL when out of memory. */
void running_destroy(struct running *running);

/* Adds the new buckets that end at `until_ns` or before (UINT64_MAX: all).  Returns 0 or -errno
 * with `fault`.  A bucket that cannot be read gives an error once and is skipped afterwards. */
int running_advance(struct running *running, struct recording *recording, uint64_t until_ns,
                    struct fault *fault);

/* End time of the last bucket that was added. */
uint64_t running_time(const struct running *running);
/* Time of the mark; 0 if there is none. */
uint64_t running_mark_time(const struct running *running);

/* Sets the mark: growth counts from now on.  Returns 0, or -ENOMEM and keeps the old mark. */
int running_mark(struct running *running);

/* True when any column of the metric ever had a value. */
bool running_has(const struct running *running, const struct metric *metric);

/* Number of stacks: all stack ids are below this. */
size_t running_stacks(const struct running *running);
/* Bytes that a stack has now of one kind of pages (enum page_kind); never negative. */
uint64_t running_pages(const struct running *running, stack_id stack, unsigned kind);

/* Events per second in the buckets of the last few seconds; all 0 when there are no buckets. */
struct pace {
    double seconds; /* Length of the time that was used. */
    double calls, bytes, frees, freed_bytes;
};
struct pace running_pace(const struct running *running);

struct running_row {
    uint32_t stack;
    int64_t value, count, growth; /* Growth: change of the value since the mark. */
};
struct running_rows {
    VEC(struct running_row) rows; /* Sorted by stack; rows without value and growth are omitted. */
    int64_t value, count, growth; /* Sums of all rows, including the omitted ones. */
};
/* Makes one row per stack.  `codes`, indexed by stack_id, excludes stacks whose code is 0 (see
 * stack_match); NULL: all stacks.  A metric that is stored as a pin (heap.peak) has no running
 * value: all sums are 0.  Returns 0 or -ENOMEM. */
int running_weigh(const struct running *running, const struct metric *metric, const uint32_t *codes,
                  struct running_rows *rows);
void running_rows_fini(struct running_rows *rows);
