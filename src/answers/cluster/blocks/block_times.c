/* SPDX-License-Identifier: Apache-2.0 */
/* block_times.c - how long each block took, and the part of a history that is under load. */
#include <errno.h>
#include <math.h>

#include "cluster/blocks/block_stats.h"

#define RUN          5u   /* blocks looked at together */
#define BUSY         100u /* transactions of a block under load */
#define SLOW_S       9.0
#define FAST_WRITE_S 1.0

static double arrival_gap(const struct block_point *point)
{
    return (double)(point->arrival_ns - point[-1].arrival_ns) / 1e9;
}

static double header_gap(const struct block_point *point)
{
    return point->header_s > 0 && point[-1].header_s > 0
               ? (double)(point->header_s - point[-1].header_s)
               : 0;
}

static void set_time(struct block_point *point, enum block_timing timing, double seconds)
{
    if (seconds > 0) {
        point->timing = timing;
        point->seconds = seconds;
    }
}

/* Ours: arrivals are known, or they are not. */
static void time_ours(struct block_point *point)
{
    bool const is_known = point->within_ns >= 0 && point[-1].within_ns >= 0;
    double const gap = arrival_gap(point);
    if (is_known && gap > 0 && gap * 1e9 >= (double)point->within_ns)
        /* NOLINTNEXTLINE(bugprone-branch-clone): the first that is good, in this order */
        set_time(point, BLOCK_BY_ARRIVAL, gap);
    else if (header_gap(point) > 0)
        set_time(point, BLOCK_BY_HEADER, header_gap(point));
    else if (is_known)
        set_time(point, BLOCK_BY_ARRIVAL, gap);
}

/* A stretch of records of the original that were written less than a second apart: it was
 * catching up if the headers say that far more time passed. */
static size_t time_stretch(struct block_point *points, size_t count)
{
    double written = 0, passed = 0;
    size_t end = 0;
    while (end < count && points[end].follows && !points[end].is_ours &&
           arrival_gap(&points[end]) < FAST_WRITE_S) {
        written += arrival_gap(&points[end]);
        passed += header_gap(&points[end]);
        end++;
    }
    bool const is_late = passed > 2 * fmax(written, 0) + 1;
    for (size_t i = 0; i < end; i++)
        if (is_late || arrival_gap(&points[i]) <= 0)
            set_time(&points[i], BLOCK_BY_HEADER, header_gap(&points[i]));
        else
            set_time(&points[i], BLOCK_BY_ARRIVAL, arrival_gap(&points[i]));
    return end;
}

/* Blocks of the same second by their headers share the time until the next one evenly. */
static void share_seconds(struct block_point *points, size_t count)
{
    size_t begin = 1;
    for (size_t i = 1; i < count; i++) {
        bool const is_zero =
            points[i].follows && points[i].timing == BLOCK_UNTIMED && header_gap(&points[i]) == 0;
        if (is_zero)
            continue;
        if (points[i].timing == BLOCK_BY_HEADER && i > begin) {
            double const share = points[i].seconds / (double)(i - begin + 1);
            for (size_t at = begin; at <= i; at++)
                set_time(&points[at], BLOCK_BY_HEADER, share);
        }
        begin = i + 1;
    }
}

int block_times_find(struct block_stats *stats)
{
    struct block_point *points = stats->points.items;
    size_t const count = stats->points.count;
    for (size_t i = 1; i < count;) {
        if (!points[i].follows) {
            i++;
        } else if (points[i].is_ours) {
            time_ours(&points[i++]);
        } else {
            size_t const stretch = time_stretch(&points[i], count - i);
            if (stretch == 0)
                set_time(&points[i], BLOCK_BY_ARRIVAL, arrival_gap(&points[i]));
            i += stretch ? stretch : 1;
        }
    }
    share_seconds(points, count);
    for (size_t i = 0; i < count; i++) {
        stats->by_arrival += points[i].timing == BLOCK_BY_ARRIVAL;
        stats->by_header += points[i].timing == BLOCK_BY_HEADER;
        stats->untimed += i > 0 && points[i].timing == BLOCK_UNTIMED;
        if (points[i].timing != BLOCK_UNTIMED && points[i].has_transactions &&
            !vec_push(&stats->counted, i))
            return -ENOMEM;
    }
    return 0;
}

static const struct block_point *counted(const struct block_stats *stats, size_t index)
{
    return &stats->points.items[stats->counted.items[index]];
}

static void widen(struct block_range *range, double value)
{
    if (range->count == 0 || value < range->min)
        range->min = value;
    if (range->count == 0 || value > range->max)
        range->max = value;
    range->sum += value;
    range->count++;
}

static int by_size(const void *a, const void *b)
{
    double const x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int summarise(const struct block_stats *stats, size_t begin, size_t end,
                     struct block_summary *summary)
{
    double *seconds = calloc(end - begin + 1, sizeof(*seconds));
    if (!seconds)
        return -ENOMEM;
    *summary = (struct block_summary){0};
    for (size_t i = begin; i < end; i++) {
        const struct block_point *point = counted(stats, i);
        widen(&summary->transactions, (double)point->transactions);
        widen(&summary->seconds, point->seconds);
        widen(&summary->tps, (double)point->transactions / point->seconds);
        seconds[i - begin] = point->seconds;
    }
    if (end > begin) {
        qsort(seconds, end - begin, sizeof(*seconds), by_size);
        summary->seconds_median = seconds[(end - begin) / 2];
        summary->tps_mean = summary->transactions.sum / summary->seconds.sum;
    }
    free(seconds);
    return 0;
}

/* How many of RUN blocks from `index` on hold more than `limit` transactions. */
static unsigned count_above(const struct block_stats *stats, size_t index, double limit)
{
    unsigned above = 0;
    for (size_t i = index; i < index + RUN && i < stats->counted.count; i++)
        above += (double)counted(stats, i)->transactions > limit;
    return above;
}

/* Mean minus two standard deviations of what follows `begin`. */
static double low_mark(const struct block_stats *stats, size_t begin)
{
    size_t const count = stats->counted.count - begin;
    double sum = 0, squares = 0;
    for (size_t i = begin; i < stats->counted.count; i++)
        sum += (double)counted(stats, i)->transactions;
    double const mean = sum / (double)count;
    for (size_t i = begin; i < stats->counted.count; i++) {
        double const off = (double)counted(stats, i)->transactions - mean;
        squares += off * off;
    }
    double const mark = count > 1 ? mean - 2 * sqrt(squares / (double)(count - 1)) : mean;
    return nextafter(mark, -INFINITY); /* blocks that are all the same are at it, not below */
}

/* From the first five blocks under load on, until the load ends. */
static void find_core(struct block_stats *stats)
{
    size_t const count = stats->counted.count;
    stats->core_begin = count > 1;
    for (size_t i = 0; i + RUN <= count; i++)
        if (count_above(stats, i, BUSY) == RUN) {
            stats->core_begin = i + RUN;
            break;
        }
    if (stats->core_begin >= count) /* under load to the end: nothing is left after the beginning */
        return;
    double const mark = low_mark(stats, stats->core_begin);
    for (size_t i = stats->core_begin; i + RUN <= count; i++)
        if (count_above(stats, i, mark) < RUN - 1) {
            stats->core_end = i;
            return;
        }
}

int block_core_find(struct block_stats *stats, bool all)
{
    stats->core_begin = 0;
    stats->core_end = stats->counted.count;
    if (!all)
        find_core(stats);
    if (stats->core_begin > stats->core_end)
        stats->core_begin = stats->core_end;
    int err = summarise(stats, 0, stats->counted.count, &stats->all);
    if (!err)
        err = summarise(stats, stats->core_begin, stats->core_end, &stats->core);
    double const median = stats->all.seconds_median;
    stats->slow_s = median >= 1 && median < SLOW_S ? SLOW_S : 3 * median;
    return err;
}

double block_stats_tps(const struct block_stats *stats, size_t index, size_t window)
{
    double transactions = 0, seconds = 0;
    if (index + 1 < window)
        return NAN;
    for (size_t i = index + 1 - window; i <= index; i++) {
        transactions += (double)counted(stats, i)->transactions;
        seconds += counted(stats, i)->seconds;
    }
    return transactions / seconds;
}
