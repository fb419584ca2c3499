/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/blocks/block_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/csv_out.h"
#include "base/human.h"
#include "base/json_out.h"

#define LISTED_MAX 12u

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const struct block_point *counted(const struct block_stats *stats, size_t index)
{
    return &stats->points.items[stats->counted.items[index]];
}

static uint64_t first_height(const struct block_stats *stats)
{
    return stats->points.items[0].height;
}

static const struct block_point *last_point(const struct block_stats *stats)
{
    return &stats->points.items[stats->points.count - 1];
}

static void write_range(FILE *out, const char *what, const struct block_range *range,
                        unsigned decimals, const char *more)
{
    if (range->count == 0)
        return;
    fprintf(out, "  %-24s [%.*f-%.*f]  mean %.*f%s\n", what, (int)decimals, range->min,
            (int)decimals, range->max, (int)decimals + 1, range->sum / (double)range->count, more);
}

static void write_summary(FILE *out, const struct block_summary *summary)
{
    char more[64];
    snprintf(more, sizeof(more), ", median %.4f", summary->seconds_median);
    write_range(out, "transactions per block", &summary->transactions, 0, "");
    write_range(out, "seconds per block", &summary->seconds, 3, more);
    snprintf(more, sizeof(more), " of blocks, %.2f over all the time", summary->tps_mean);
    write_range(out, "transactions per second", &summary->tps, 2, more);
}

static void write_holes(FILE *out, const struct text_style *style, const struct block_stats *stats)
{
    size_t const shown = stats->holes.count < LISTED_MAX ? stats->holes.count : LISTED_MAX;
    if (stats->missing == 0)
        return;
    text_ink(style, out, INK_WARN);
    fprintf(out, "  missing heights          %" PRIu64 ":", stats->missing);
    for (size_t i = 0; i < shown; i++) {
        const struct block_hole *hole = &stats->holes.items[i];
        if (hole->first == hole->last)
            fprintf(out, "%s %" PRIu64, i ? "," : "", hole->first);
        else
            fprintf(out, "%s %" PRIu64 " to %" PRIu64, i ? "," : "", hole->first, hole->last);
    }
    fprintf(out, "%s\n", shown < stats->holes.count ? ", …" : "");
    text_ink(style, out, INK_PLAIN);
}

static void write_doubt(FILE *out, uint64_t count, const char *what)
{
    char number[HUMAN_MAX];
    if (count)
        fprintf(out, "  %s %s\n", human_count((int64_t)count, number), what);
}

static void write_doubts(FILE *out, const struct block_stats *stats)
{
    write_doubt(out, stats->replaced, "blocks were replaced by a reorganised chain (told apart)");
    write_doubt(out, stats->repeated, "records repeat a height and were left out");
    write_doubt(out, stats->backward, "times the counter of transactions went down");
    write_doubt(out, stats->outside, "records are outside the limits");
    write_doubt(out, stats->odd_lines, "lines are no records");
    write_doubt(
        out, stats->by_header,
        "times are those between headers, which have whole seconds (shared evenly by blocks "
        "of one second): the arrival is not known");
    write_doubt(out, stats->untimed,
                "blocks have no time of their own and are left out of times and rates");
}

static void write_slow(FILE *out, const struct block_stats *stats)
{
    size_t shown = 0;
    for (size_t i = stats->core_begin; i < stats->core_end; i++) {
        const struct block_point *point = counted(stats, i);
        if (point->seconds < stats->slow_s || stats->slow_s <= 0)
            continue;
        if (shown == 0)
            fprintf(out, "  %.3g s or longer          ", stats->slow_s);
        if (shown++ < LISTED_MAX)
            fprintf(out, "%s%.2f s at %" PRIu64, shown > 1 ? ", " : "", point->seconds,
                    point->height);
    }
    if (shown > LISTED_MAX)
        fprintf(out, " and %zu more", shown - LISTED_MAX);
    if (shown)
        fputc('\n', out);
}

static void write_busy(FILE *out, const struct block_stats *stats)
{
    fprintf(out, "  blocks of more than 100 transactions:");
    for (size_t i = 0; i < stats->counted.count; i++)
        if (counted(stats, i)->transactions > 100)
            fprintf(out, " %" PRIu64, counted(stats, i)->transactions);
    fputc('\n', out);
}

static void write_file(FILE *out, const struct text_style *style, const struct block_stats *stats,
                       bool tps1)
{
    char blocks[HUMAN_MAX], total[HUMAN_MAX];
    text_ink(style, out, INK_STRONG);
    text_write(out, base_name(stats->path), 200);
    text_ink(style, out, INK_PLAIN);
    fprintf(out,
            ": %s blocks, heights %" PRIu64 " to %" PRIu64 ", last counter of transactions %s\n",
            human_count((int64_t)stats->points.count, blocks), first_height(stats),
            last_point(stats)->height, human_count((int64_t)last_point(stats)->total, total));
    write_holes(out, style, stats);
    write_doubts(out, stats);
    write_summary(out, &stats->all);
    if (stats->core_end > stats->core_begin &&
        (stats->core_begin > 0 || stats->core_end < stats->counted.count)) {
        fprintf(out, " core: blocks %zu to %zu, heights %" PRIu64 " to %" PRIu64 "\n",
                stats->core_begin, stats->core_end - 1, counted(stats, stats->core_begin)->height,
                counted(stats, stats->core_end - 1)->height);
        write_summary(out, &stats->core);
    }
    write_slow(out, stats);
    if (tps1)
        write_busy(out, stats);
}

static void write_lags(FILE *out, const struct block_stats *stats, size_t count,
                       const struct block_lag *lags)
{
    fprintf(out, "\n%9s %9s %10s %10s %10s %10s %10s  node\n", "heights", "first", "median ms",
            "mean ms", "95% ms", "max ms", "within ms");
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%9zu %9zu %10.1f %10.1f %10.1f %10.1f %10.1f  ", lags[i].compared,
                lags[i].first, lags[i].median_s * 1e3, lags[i].mean_s * 1e3, lags[i].p95_s * 1e3,
                lags[i].max_s * 1e3, lags[i].within_s * 1e3);
        text_write(out, base_name(stats[i].path), 200);
        fputc('\n', out);
    }
    fputs(
        "Arrival of the same height after the first node's; \"within\": how exactly it is known.\n",
        out);
}

void block_text_write(FILE *out, const struct text_style *style, const struct block_stats *stats,
                      size_t count, const struct block_lag *lags, bool tps1)
{
    for (size_t i = 0; i < count; i++)
        write_file(out, style, &stats[i], tps1);
    if (lags)
        write_lags(out, stats, count, lags);
}

void block_csv_write(FILE *out, const struct block_stats *stats, size_t count)
{
    static const char *const timings[] = {"", "arrival", "header"};
    struct csv_out csv;
    csv_init(&csv, out);
    csv_head(&csv, "file,height,header_time,arrival_ns,within_ns,seconds,seconds_by,transactions,"
                   "transactions_total");
    for (size_t i = 0; i < count; i++)
        vec_each (point, &stats[i].points) {
            csv_text(&csv, base_name(stats[i].path));
            csv_uint(&csv, point->height);
            csv_int(&csv, point->header_s);
            csv_int(&csv, point->arrival_ns);
            csv_int_if(&csv, point->within_ns >= 0, point->within_ns);
            if (point->timing != BLOCK_UNTIMED)
                csv_format(&csv, "%.9f", point->seconds);
            else
                csv_empty(&csv);
            csv_text(&csv, timings[point->timing]);
            if (point->has_transactions)
                csv_uint(&csv, point->transactions);
            else
                csv_empty(&csv);
            csv_uint(&csv, point->total);
            csv_end_row(&csv);
        }
}
