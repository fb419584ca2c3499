/* SPDX-License-Identifier: Apache-2.0 */
#include "report/plot/plot_columns.h"

const char *const plot_lanes[PLOT_LANES] = {"heap.held", "pages.cache", "cpu.on",
                                            "cpu.off",   "pool.live",   "maps.live"};

int64_t plot_change(const struct metric *metric, const struct cell *cell)
{
    int const sign = metric_sign(metric, cell->column);
    return sign < 0 ? -cell->value : sign * cell->value;
}

static void merge_gauges(struct gauges *into, const struct gauges *next)
{
    if (next->rss_bytes >= 0)
        into->rss_bytes = next->rss_bytes;
    if (next->heap_live_end >= 0)
        into->heap_live_end = next->heap_live_end;
    if (next->heap_live_max > into->heap_live_max)
        into->heap_live_max = next->heap_live_max;
    if (next->heap_live_min >= 0 &&
        (into->heap_live_min < 0 || next->heap_live_min < into->heap_live_min))
        into->heap_live_min = next->heap_live_min;
}

/* Time is cut into pieces of one length, and a column has the buckets that end in one piece. */
static bool end_together(const struct column_maker *maker, uint64_t end_ns, uint64_t other_ns)
{
    uint64_t const from_ns = maker->from_ns + 1; /* a bucket may end where a piece ends */
    return maker->column_ns > 0 && end_ns >= from_ns && other_ns >= from_ns &&
           (end_ns - from_ns) / maker->column_ns == (other_ns - from_ns) / maker->column_ns;
}

static struct plot_column *open_column(struct column_maker *maker, const struct bucket *bucket)
{
    struct plot_data *data = maker->data;
    struct plot_column const fresh = {
        .begin_ns = bucket->begin_ns, .gauges = {-1, -1, -1, -1}, .pss_bytes = -1};
    size_t const count = data->columns.count;
    bool const is_sliver = data->is_rate &&
                           bucket->end_ns - bucket->begin_ns < maker->column_ns / 4 &&
                           bucket->end_ns >= maker->to_ns; /* one event in it would be a peak */
    if (count > 0 &&
        (is_sliver || end_together(maker, bucket->end_ns, data->columns.items[count - 1].end_ns)))
        return &data->columns.items[count - 1];
    if (!vec_push(&data->columns, fresh)) {
        maker->failed = true;
        return NULL;
    }
    return &data->columns.items[count];
}

void column_maker_init(struct column_maker *maker)
{
    for (unsigned lane = 0; lane < PLOT_LANES; lane++) {
        maker->lanes[lane] = metric_find(plot_lanes[lane]);
        for (unsigned column = 0; column < COLUMN_LIMIT; column++)
            if (metric_sign(maker->lanes[lane], column))
                maker->lane_of_column[column] = (uint8_t)(lane + 1);
    }
}

static void add_to_lanes(struct column_maker *maker, const struct bucket *bucket)
{
    for (size_t i = 0; i < bucket->cell_count; i++) {
        const struct cell *cell = &bucket->cells[i];
        unsigned const found =
            cell->column < COLUMN_LIMIT ? maker->lane_of_column[cell->column] : 0;
        if (!found)
            continue;
        maker->lane_levels[found - 1] += plot_change(maker->lanes[found - 1], cell);
        maker->data->has_lane[found - 1] = true;
    }
}

/* What was added becomes the column's; a level stays what it is. */
static void put_lanes(struct column_maker *maker, struct plot_column *column)
{
    for (size_t lane = 0; lane < PLOT_LANES; lane++) {
        if (maker->lanes[lane]->kind == METRIC_COUNTER) {
            column->lanes[lane] += maker->lane_levels[lane];
            maker->lane_levels[lane] = 0;
        } else
            column->lanes[lane] =
                maker->data->has_lane[lane] ? maker->lane_levels[lane] : PLOT_UNKNOWN;
    }
}

static void drop_counts(struct column_maker *maker)
{
    for (size_t lane = 0; lane < PLOT_LANES; lane++)
        if (maker->lanes[lane]->kind == METRIC_COUNTER)
            maker->lane_levels[lane] = 0;
}

static void add_to_column(struct plot_column *column, const struct bucket *bucket)
{
    for (size_t i = 0; i < bucket->cell_count; i++) {
        if (bucket->cells[i].column == COL_HEAP_BYTES)
            column->allocated_bytes += bucket->cells[i].value;
        if (bucket->cells[i].column == COL_HEAP_CALLS)
            column->allocated_calls += bucket->cells[i].value;
    }
    column->end_ns = bucket->end_ns;
    column->lost_events += bucket->lost_events;
    merge_gauges(&column->gauges, &bucket->gauges);
    if (bucket->pss_bytes > 0)
        column->pss_bytes = bucket->pss_bytes;
}

void column_maker_add(void *into, const struct bucket *bucket)
{
    struct column_maker *maker = into;
    add_to_lanes(maker, bucket);
    if (bucket->end_ns <= maker->from_ns && maker->from_ns > 0) {
        drop_counts(maker);
        return;
    }
    struct plot_column *column = open_column(maker, bucket);
    if (!column)
        return;
    add_to_column(column, bucket);
    put_lanes(maker, column);
}
