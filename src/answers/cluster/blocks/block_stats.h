/* block_stats.h - what a history of blocks says: how long blocks took, how many transactions
 * they held, what is missing, and which node saw them later than others.
 *
 * The time of a block is that between its arrival and the one before, where both are known (to
 * the nanosecond, without a lower limit), else that between the headers, which have whole
 * seconds.  The original wrote the time of writing when it did not know the arrival: records
 * that follow each other faster than their headers say are taken as such. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/vec.h"

enum block_timing { BLOCK_UNTIMED, BLOCK_BY_ARRIVAL, BLOCK_BY_HEADER };

struct block_point {
    uint64_t height, transactions, total; /* in it; ever */
    bool has_transactions;
    int64_t arrival_ns, within_ns, header_s; /* within_ns < 0: the arrival is not known */
    bool is_ours;
    enum block_timing timing;
    double seconds; /* since the block before; 0: not known */
    bool follows;   /* the height before is there */
};

struct block_hole {
    uint64_t first, last;
};

/* Smallest and largest; `count` 0: there were none. */
struct block_range {
    size_t count;
    double min, max, sum;
};

struct block_summary {
    struct block_range transactions, seconds, tps;
    double tps_mean, seconds_median; /* transactions of all timed blocks by their time; 0: none */
};

struct block_stats {
    char *path;
    VEC(struct block_point) points; /* by height */
    VEC(struct block_hole) holes;
    uint64_t records, odd_lines, first_odd_line;
    uint64_t outside;  /* of the limits */
    uint64_t repeated; /* heights not above the one before, that replace nothing */
    uint64_t replaced; /* by a reorganised chain */
    uint64_t backward; /* the counter of transactions went down */
    uint64_t untimed, by_header, by_arrival, missing;
    bool has_limits;
    uint64_t limit_first, limit_last;
    struct block_summary all, core;
    size_t core_begin, core_end; /* of `counted` */
    VEC(size_t) counted;         /* points with time and transactions */
    /* from here on a block is slow: 9 s, or thrice the median where blocks are not of seconds */
    double slow_s;
};

struct block_stats_options {
    bool has_start, has_stop;
    uint64_t start,
        stop; /* heights; without: those of a rounds.json beside the file, if there is one */
    bool all; /* the core is everything */
};

/* Returns 0 or -errno with a sentence: not to be read, nothing in it. */
int block_stats_read(struct block_stats *stats, const char *path,
                     const struct block_stats_options *options, struct fault *fault);
void block_stats_fini(struct block_stats *stats);
/* Transactions per second over the `window` counted blocks up to `index` (fewer at the
 * beginning: NaN). */
double block_stats_tps(const struct block_stats *stats, size_t index, size_t window);

/* How late each of several nodes saw each height. */
struct block_lag {
    size_t compared, first; /* heights that others have as well; those it had first */
    double median_s, mean_s, p95_s, max_s;
    double within_s; /* the largest error of an arrival that was compared */
};
/* One per file, in order.  Heights with an unknown arrival are left out.  Returns 0 or -ENOMEM. */
int block_lag_find(const struct block_stats *stats, size_t count, struct block_lag *lags);

/* The pieces of block_stats_read, for itself. */
int block_times_find(struct block_stats *stats);
int block_core_find(struct block_stats *stats, bool all);
