/* running.h - sums per stack that go on as a recording grows, and what they were at a mark.
 *
 * Each bucket is added once, so keeping up costs what is new.  Memory: 8 bytes per stack and column
 * in use, a dozen columns at most, and as much again for a mark.  Stacks are known by id: a recording that was replaced by a coarser
 * copy of itself goes on with the same sums. */
#pragma once

#include "analyze/sums/weigh.h"

struct running;

struct running *running_create(void); /* NULL when out of memory */
void running_destroy(struct running *running);

/* Adds the buckets that are new and end at `until_ns` or before (UINT64_MAX: all).  0 or -errno with
 * `fault`; a bucket that cannot be read is an error once, and left out. */
int running_advance(struct running *running, struct recording *recording, uint64_t until_ns,
                    struct fault *fault);

/* The time of the last bucket that was added; of the mark, 0 unless there is one. */
uint64_t running_time(const struct running *running);
uint64_t running_mark_time(const struct running *running);

/* Growth counts from here on.  0, or -ENOMEM with the mark before still set. */
int running_mark(struct running *running);

/* Whether anything was ever counted in what a metric is made of. */
bool running_has(const struct running *running, const struct metric *metric);

/* Stack ids are below this. */
size_t running_stacks(const struct running *running);
/* Bytes of a kind of pages (enum page_kind) that a stack has now; never less than 0. */
uint64_t running_pages(const struct running *running, stack_id stack, unsigned kind);

/* What happened per second in the buckets of the last seconds; all 0 when there are none. */
struct pace {
    double seconds; /* that were looked at */
    double calls, bytes, frees, freed_bytes;
};
struct pace running_pace(const struct running *running);

/* Per stack: the value now, and since the mark. */
struct running_row {
    uint32_t stack;
    int64_t value, count, growth;
};
struct running_rows {
    VEC(struct running_row) rows; /* by stack; those without value and growth left out */
    int64_t value, count, growth; /* the sums, also of those left out */
};
/* `codes`, by stack_id, leaves out those that are 0 (see stack_match); NULL: none.  A metric that is
 * pinned (heap.peak) has no running value: all 0.  0 or -ENOMEM. */
int running_weigh(const struct running *running, const struct metric *metric, const uint32_t *codes,
                  struct running_rows *rows);
void running_rows_fini(struct running_rows *rows);
