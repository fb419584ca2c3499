/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_out.h"
#include "cluster/blocks/block_report.h"

static void write_range(struct json_out *json, const char *name, const struct block_range *range)
{
    json_key(json, name);
    if (range->count == 0) {
        json_null(json);
        return;
    }
    json_object_begin_inline(json);
    json_real_field(json, "min", range->min);
    json_real_field(json, "max", range->max);
    json_real_field(json, "mean", range->sum / (double)range->count);
    json_object_end(json);
}

static void write_summary(struct json_out *json, const char *name,
                          const struct block_summary *summary)
{
    json_key(json, name);
    json_object_begin(json);
    json_uint_field(json, "blocks", summary->seconds.count);
    write_range(json, "transactions_per_block", &summary->transactions);
    write_range(json, "seconds_per_block", &summary->seconds);
    write_range(json, "transactions_per_second", &summary->tps);
    json_real_field(json, "seconds_median", summary->seconds_median);
    json_real_field(json, "transactions_per_second_overall", summary->tps_mean);
    json_object_end(json);
}

static void write_lag(struct json_out *json, const struct block_lag *lag)
{
    json_key(json, "lag");
    json_object_begin_inline(json);
    json_uint_field(json, "heights", lag->compared);
    json_uint_field(json, "first", lag->first);
    json_real_field(json, "median_s", lag->median_s);
    json_real_field(json, "mean_s", lag->mean_s);
    json_real_field(json, "p95_s", lag->p95_s);
    json_real_field(json, "max_s", lag->max_s);
    json_real_field(json, "within_s", lag->within_s);
    json_object_end(json);
}

static void write_file(struct json_out *json, const struct block_stats *stats,
                       const struct block_lag *lag)
{
    const struct block_point *last = &stats->points.items[stats->points.count - 1];
    json_object_begin(json);
    json_text_field(json, "file", stats->path);
    json_uint_field(json, "blocks", stats->points.count);
    json_uint_field(json, "first_height", stats->points.items[0].height);
    json_uint_field(json, "last_height", last->height);
    json_uint_field(json, "transactions_total", last->total);
    json_uint_field(json, "missing", stats->missing);
    json_key(json, "missing_heights");
    json_array_begin_inline(json);
    vec_each (hole, &stats->holes) {
        json_array_begin(json);
        json_uint(json, hole->first);
        json_uint(json, hole->last);
        json_array_end(json);
    }
    json_array_end(json);
    json_uint_field(json, "replaced", stats->replaced);
    json_uint_field(json, "repeated", stats->repeated);
    json_uint_field(json, "odd_lines", stats->odd_lines);
    json_uint_field(json, "outside_limits", stats->outside);
    json_uint_field(json, "timed_by_arrival", stats->by_arrival);
    json_uint_field(json, "timed_by_header", stats->by_header);
    json_uint_field(json, "untimed", stats->untimed);
    write_summary(json, "all", &stats->all);
    write_summary(json, "core", &stats->core);
    if (lag)
        write_lag(json, lag);
    json_object_end(json);
}

int block_json_write(FILE *out, const struct block_stats *stats, size_t count,
                     const struct block_lag *lags)
{
    struct json_out json;
    json_init(&json, out, true);
    json_object_begin(&json);
    json_key(&json, "files");
    json_array_begin(&json);
    for (size_t i = 0; i < count; i++)
        write_file(&json, &stats[i], lags ? &lags[i] : NULL);
    json_array_end(&json);
    json_object_end(&json);
    return json_finish(&json);
}

int block_stats_write(FILE *out, const struct block_stats *stats)
{
    const struct block_summary *all = &stats->all;
    struct json_out json;
    json_init(&json, out, false);
    json_object_begin(&json);
    json_uint_field(&json, "blocks", stats->points.count);
    json_uint_field(&json, "tc", stats->points.items[stats->points.count - 1].total);
    json_uint_field(&json, "mintxn", (uint64_t)all->transactions.min);
    json_uint_field(&json, "maxtxn", (uint64_t)all->transactions.max);
    json_real_field(&json, "mindt", all->seconds.min);
    json_real_field(&json, "maxdt", all->seconds.max);
    json_real_field(&json, "mintps", all->tps.min);
    json_real_field(&json, "maxtps", all->tps.max);
    json_object_end(&json);
    return json_finish(&json);
}
