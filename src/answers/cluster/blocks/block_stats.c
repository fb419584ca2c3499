/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/blocks/block_stats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_in.h"
#include "cluster/blocks/block_log.h"
#include "cluster/runs/run.h"

/* Takes the heights that a reorganised chain threw away off the end. */
static void drop_from(struct block_stats *stats, uint64_t height)
{
    while (stats->points.count > 0 &&
           stats->points.items[stats->points.count - 1].height >= height) {
        stats->points.count--;
        stats->replaced++;
    }
}

static void count_transactions(struct block_stats *stats, const struct block_header *header,
                               struct block_point *point)
{
    const struct block_point *before =
        point->follows ? &stats->points.items[stats->points.count - 1] : NULL;
    if (header->has_count) {
        point->has_transactions = true;
        point->transactions = header->transactions;
    } else if (before && point->total >= before->total) {
        point->has_transactions = true;
        point->transactions = point->total - before->total;
    } else if (before) {
        stats->backward++;
    }
}

static int handle_record(void *context, const struct block_record *record)
{
    struct block_stats *stats = context;
    const struct block_header *header = &record->header;
    struct block_point point = {.height = header->height,
                                .total = header->transactions_total,
                                .arrival_ns = record->arrival_ns,
                                .within_ns = record->within_ns,
                                .header_s = header->time_s,
                                .is_ours = record->is_ours};
    if (stats->has_limits &&
        (header->height < stats->limit_first || header->height > stats->limit_last)) {
        stats->outside++;
        return 0;
    }
    if (record->replaces[0])
        drop_from(stats, header->height);
    uint64_t const last =
        stats->points.count ? stats->points.items[stats->points.count - 1].height : 0;
    if (stats->points.count > 0 && header->height <= last) {
        stats->repeated++;
        return 0;
    }
    point.follows = stats->points.count > 0 && header->height == last + 1;
    count_transactions(stats, header, &point);
    return vec_push(&stats->points, point) ? 0 : -ENOMEM;
}

/* {"min":r,"max":r,"all":[…]} beside the file. */
static void read_limits(struct block_stats *stats)
{
    char path[4096], text[256], key[8];
    const char *slash = strrchr(stats->path, '/');
    uint64_t low = 0, high = UINT64_MAX;
    bool has_low = false, has_high = false;
    snprintf(path, sizeof(path), "%.*srounds.json", slash ? (int)(slash + 1 - stats->path) : 0,
             stats->path);
    int const fd = run_path_open(path);
    ssize_t const size = fd < 0 ? -1 : read(fd, text, sizeof(text));
    if (fd >= 0)
        close(fd);
    if (size <= 0)
        return;
    struct json_in json = {.text = {text, (size_t)size}}; /* `all` comes last and may be long */
    for (json_in_object(&json); !(has_low && has_high) && json_in_key(&json, key, sizeof(key));)
        if (strcmp(key, "min") == 0)
            has_low = json_in_uint(&json, &low);
        else if (strcmp(key, "max") == 0)
            has_high = json_in_uint(&json, &high);
        else
            json_in_skip(&json);
    if (!has_low || !has_high)
        return;
    stats->has_limits = true;
    stats->limit_first = low;
    stats->limit_last = high;
}

static void set_limits(struct block_stats *stats, const struct block_stats_options *options)
{
    stats->limit_last = UINT64_MAX;
    read_limits(stats);
    if (options->has_start)
        stats->limit_first = options->start;
    if (options->has_stop)
        stats->limit_last = options->stop;
    stats->has_limits |= options->has_start || options->has_stop;
}

static int find_holes(struct block_stats *stats)
{
    for (size_t i = 1; i < stats->points.count; i++) {
        const struct block_point *before = &stats->points.items[i - 1];
        struct block_hole const hole = {before->height + 1, stats->points.items[i].height - 1};
        if (hole.last < hole.first)
            continue;
        stats->missing += hole.last - hole.first + 1;
        if (!vec_push(&stats->holes, hole))
            return -ENOMEM;
    }
    return 0;
}

/* After a reorganisation in the middle the height before is another one than when the record
 * came. */
static void link_points(struct block_stats *stats)
{
    for (size_t i = 0; i < stats->points.count; i++) {
        struct block_point *point = &stats->points.items[i];
        point->follows = i > 0 && point->height == point[-1].height + 1;
    }
}

int block_stats_read(struct block_stats *stats, const char *path,
                     const struct block_stats_options *options, struct fault *fault)
{
    struct block_log_facts facts;
    *stats = (struct block_stats){.path = strdup(path)};
    if (!stats->path)
        return fault_set(fault, -ENOMEM, "out of memory");
    set_limits(stats, options);
    int err = block_log_read(path, handle_record, stats, &facts, fault);
    if (err)
        return err;
    stats->records = facts.records;
    stats->odd_lines = facts.odd_lines;
    stats->first_odd_line = facts.first_odd_line;
    if (stats->points.count == 0)
        return fault_set(fault, -ENODATA, "\"%s\" has no blocks%s%s%s", path,
                         stats->outside ? " between the limits (--start, --stop, rounds.json)" : "",
                         facts.odd_lines ? ": " : "", facts.odd_lines ? facts.why_odd : "");
    link_points(stats);
    err = find_holes(stats);
    if (!err)
        err = block_times_find(stats);
    if (!err)
        err = block_core_find(stats, options->all);
    return err ? fault_set(fault, err, "out of memory") : 0;
}

void block_stats_fini(struct block_stats *stats)
{
    free(stats->path);
    vec_free(&stats->points);
    vec_free(&stats->holes);
    vec_free(&stats->counted);
    *stats = (struct block_stats){0};
}
