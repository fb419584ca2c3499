/* block_stats.h - statistics of a history of blocks: how long blocks took, how many transactions
 * they had, what is missing, and which node saw them later than others.
 *
 * The time of a block is the time between its arrival and the arrival of the block before, if both
 * are known (in nanoseconds, without a lower limit); otherwise the time between the headers, in
 * whole seconds.  The original tool recorded the time of writing if it did not know the arrival:
 * records that follow each other faster than their headers are treated as such. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/vec.h"

enum block_timing { BLOCK_UNTIMED, BLOCK_BY_ARRIVAL, BLOCK_BY_HEADER };

struct block_point {
    uint64_t height, transactions, total; /* in this block; total */
    bool has_transactions;
    int64_t arrival_ns, within_ns, header_s; /* within_ns < 0: the arrival time is not known */
    bool is_ours;
    enum block_timing timing;
    double seconds; /* time since the block before; 0: not known */
    bool follows;   /* the history has the height before */
};

struct block_hole {
    uint64_t first, last;
};

/* Minimum, maximum and sum; `count` 0: there are no values. */
struct block_range {
    size_t count;
    double min, max, sum;
};

struct block_summary {
    struct block_range transactions, seconds, tps;
    /* tps_mean: transactions of all timed blocks, divided by their time; 0: none */
    double tps_mean, seconds_median;
};

struct block_stats {
    char *path;
    VEC(struct block_point) points; /* sorted by height */
    VEC(struct block_hole) holes;
    uint64_t records, odd_lines, first_odd_line;
    uint64_t outside;  /* heights outside of the limits */
    uint64_t repeated; /* heights not above the one before that replace nothing */
    uint64_t replaced; /* heights replaced by a reorganised chain */
    uint64_t backward; /* blocks at which the total of transactions became smaller */
    uint64_t untimed, by_header, by_arrival, missing;
    bool has_limits;
    uint64_t limit_first, limit_last;
    struct block_summary all, core;
    size_t core_begin, core_end; /* range of `counted` */
    VEC(size_t) counted;         /* points with a time and transactions */
    /* a block is slow from this time on: 9 s, or three times the median if blocks do not take
     * seconds */
    double slow_s;
};

struct block_stats_options {
    bool has_start, has_stop;
    /* limits of heights; without: those of a rounds.json beside the file, if there is one */
    uint64_t start, stop;
    bool all; /* the core is all blocks */
};

/* Returns 0; or -errno with a sentence, also for a file without blocks. */
int block_stats_read(struct block_stats *stats, const char *path,
                     const struct block_stats_options *options, struct fault *fault);
void block_stats_fini(struct block_stats *stats);
/* Returns transactions per second over the last `window` counted blocks up to `index`; NaN if there
 * are fewer. */
double block_stats_tps(const struct block_stats *stats, size_t index, size_t window);

/* How late one of several nodes saw the heights. */
struct block_lag {
    /* heights that other nodes have, too; heights that this node saw first */
    size_t compared, first;
    double median_s, mean_s, p95_s, max_s;
    double within_s; /* largest uncertainty of an arrival that was compared */
};
/* Fills one item per file, in order.  Heights with an unknown arrival are left out.  Returns 0 or
 * -ENOMEM. */
int block_lag_find(const struct block_stats *stats, size_t count, struct block_lag *lags);

/* Steps of block_stats_read. */
int block_times_find(struct block_stats *stats);
int block_core_find(struct block_stats *stats, bool all);
