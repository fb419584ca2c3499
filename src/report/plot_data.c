/* SPDX-License-Identifier: Apache-2.0 */
#include "report/plot_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/bucket_walk.h"
#include "analyze/site_table.h"
#include "analyze/stack_match.h"
#include "base/human.h"

#define COLUMN_SAMPLES 25u     /* of a busy thread, in a column: fewer are more chance than curve */
#define EMPTY_AXIS_NS  1000000 /* what the axis of a recording of no duration shows */

const char *const plot_lanes[PLOT_LANES] = {"heap.held", "pages.cache", "cpu.on",
                                            "cpu.off",   "pool.live",   "maps.live"};

struct builder {
    struct plot_data *data;
    const struct metric *lanes[PLOT_LANES];
    uint8_t lane_of_column[COLUMN_LIMIT]; /* its place + 1; 0: in none */
    int64_t lane_levels[PLOT_LANES];
    uint32_t *is_kept; /* by stack: not 0 when the filter keeps it; NULL: all are */
    struct site_table sites;
    uint64_t from_ns, to_ns;
    uint64_t column_ns;                 /* a column is closed when it would get longer */
    int64_t levels[PLOT_SITES_MAX + 1]; /* running sums, or the sums of the open column */
    bool failed;
};

static int64_t signed_value(const struct metric *metric, const struct cell *cell)
{
    int const sign = metric_sign(metric, cell->column);
    return sign < 0 ? -cell->value : sign * cell->value;
}

static bool is_left_out(const struct builder *builder, stack_id stack)
{
    return builder->is_kept && (stack > builder->sites.stack_count || !builder->is_kept[stack]);
}

/* How a cell changes the metric. */
static int64_t change_of(const struct builder *builder, const struct cell *cell)
{
    return is_left_out(builder, cell->key) ? 0 : signed_value(builder->data->metric, cell);
}

/* First walk: the area under a site's curve is the sum of its changes, each times what is left. */
static void rank_bucket(void *into, const struct bucket *bucket)
{
    struct builder *builder = into;
    uint64_t const since = bucket->end_ns > builder->from_ns ? bucket->end_ns : builder->from_ns;
    double left = builder->to_ns > since ? (double)(builder->to_ns - since) : 0;
    if (builder->data->is_rate)
        left = bucket->end_ns > builder->from_ns ? 1 : 0;
    for (size_t i = 0; i < bucket->cell_count; i++) {
        int64_t const change = change_of(builder, &bucket->cells[i]);
        struct site_entry *site =
            change ? site_table_find(&builder->sites, bucket->cells[i].key) : NULL;
        if (site) /* one more ns, so that what came last still ranks above nothing */
            site->area += (double)change * (left + 1);
    }
}

static unsigned place_of(struct builder *builder, stack_id stack)
{
    const struct site_entry *site = site_table_find(&builder->sites, stack);
    return site && site->place != SITE_OTHER ? site->place : builder->data->site_count;
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

static struct plot_column *open_column(struct builder *builder, const struct bucket *bucket)
{
    struct plot_data *data = builder->data;
    struct plot_column const fresh = {
        .begin_ns = bucket->begin_ns, .gauges = {-1, -1, -1, -1}, .pss_bytes = -1};
    size_t const count = data->columns.count;
    bool const is_sliver = data->is_rate &&
                           bucket->end_ns - bucket->begin_ns < builder->column_ns / 4 &&
                           bucket->end_ns >= builder->to_ns; /* one event in it would be a peak */
    if (count > 0 && (is_sliver || bucket->end_ns - data->columns.items[count - 1].begin_ns <=
                                       builder->column_ns))
        return &data->columns.items[count - 1];
    if (!vec_push(&data->columns, fresh)) {
        builder->failed = true;
        return NULL;
    }
    if (data->is_rate)
        memset(builder->levels, 0, sizeof(builder->levels));
    return &data->columns.items[count];
}

/* The instant at the end of `column`, replacing the one a shorter column had. */
static void put_instant(struct builder *builder, const struct plot_column *column)
{
    struct plot_data *data = builder->data;
    struct plot_instant instant = {.time_ns = column->end_ns};
    memcpy(instant.values, builder->levels, sizeof(instant.values));
    double const seconds = (double)(column->end_ns - column->begin_ns) / 1e9;
    for (size_t i = 0; data->is_rate && seconds > 0 && i <= PLOT_SITES_MAX; i++)
        instant.values[i] = (int64_t)((double)instant.values[i] / seconds);
    if (data->instants.count == data->columns.count + 1)
        data->instants.items[data->instants.count - 1] = instant;
    else if (!vec_push(&data->instants, instant))
        builder->failed = true;
}

static void add_levels(struct builder *builder, const struct bucket *bucket)
{
    for (size_t i = 0; i < bucket->cell_count; i++) {
        const struct cell *cell = &bucket->cells[i];
        int64_t const change = change_of(builder, cell);
        if (change)
            builder->levels[place_of(builder, cell->key)] += change;
    }
}

static void find_lanes(struct builder *builder)
{
    for (unsigned lane = 0; lane < PLOT_LANES; lane++) {
        builder->lanes[lane] = metric_find(plot_lanes[lane]);
        for (unsigned column = 0; column < COLUMN_LIMIT; column++)
            if (metric_sign(builder->lanes[lane], column))
                builder->lane_of_column[column] = (uint8_t)(lane + 1);
    }
}

static void add_to_lanes(struct builder *builder, const struct bucket *bucket)
{
    for (size_t i = 0; i < bucket->cell_count; i++) {
        const struct cell *cell = &bucket->cells[i];
        unsigned const found =
            cell->column < COLUMN_LIMIT ? builder->lane_of_column[cell->column] : 0;
        if (!found)
            continue;
        builder->lane_levels[found - 1] += signed_value(builder->lanes[found - 1], cell);
        builder->data->has_lane[found - 1] = true;
    }
}

/* What was added becomes the column's; a level stays what it is. */
static void put_lanes(struct builder *builder, struct plot_column *column)
{
    for (size_t lane = 0; lane < PLOT_LANES; lane++) {
        if (builder->lanes[lane]->kind == METRIC_COUNTER) {
            column->lanes[lane] += builder->lane_levels[lane];
            builder->lane_levels[lane] = 0;
        } else
            column->lanes[lane] =
                builder->data->has_lane[lane] ? builder->lane_levels[lane] : PLOT_UNKNOWN;
    }
}

static void drop_counts(struct builder *builder)
{
    for (size_t lane = 0; lane < PLOT_LANES; lane++)
        if (builder->lanes[lane]->kind == METRIC_COUNTER)
            builder->lane_levels[lane] = 0;
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

/* Second walk: columns and the values at their ends. */
static void draw_bucket(void *into, const struct bucket *bucket)
{
    struct builder *builder = into;
    struct plot_data *data = builder->data;
    add_to_lanes(builder, bucket);
    if (bucket->end_ns <= builder->from_ns && builder->from_ns > 0) {
        if (!data->is_rate)
            add_levels(builder, bucket); /* what the range begins with */
        drop_counts(builder);
        return;
    }
    if (data->instants.count == 0) {
        struct plot_instant first = {.time_ns = bucket->begin_ns};
        memcpy(first.values, builder->levels, sizeof(first.values));
        builder->failed |= !vec_push(&data->instants, first);
    }
    struct plot_column *column = open_column(builder, bucket);
    if (!column)
        return;
    add_levels(builder, bucket);
    add_to_column(column, bucket);
    put_lanes(builder, column);
    put_instant(builder, column);
}

static bool insert_instant(struct plot_data *data, const struct plot_instant *instant)
{
    if (!vec_push(&data->instants, *instant))
        return false;
    size_t at = data->instants.count - 1;
    for (; at > 0 && data->instants.items[at - 1].time_ns > instant->time_ns; at--)
        data->instants.items[at] = data->instants.items[at - 1];
    data->instants.items[at] = *instant;
    return true;
}

/* A pin knows its stacks exactly; the boundaries around it may miss what it saw. */
static void add_pins(struct builder *builder, const struct recording *recording)
{
    struct plot_data *data = builder->data;
    if (data->is_rate || data->columns.count == 0)
        return;
    vec_each (pin, &recording->pins) {
        struct plot_instant instant = {.time_ns = pin->time_ns};
        bool has_metric = false;
        if (pin->time_ns <= data->range.from_ns || pin->time_ns >= data->range.to_ns)
            continue;
        for (size_t i = 0; i < pin->cell_count; i++) {
            if (pin->cells[i].column != data->metric->plus ||
                is_left_out(builder, pin->cells[i].key))
                continue;
            has_metric = true;
            instant.values[place_of(builder, pin->cells[i].key)] += pin->cells[i].value;
        }
        if (has_metric && !insert_instant(data, &instant))
            builder->failed = true;
    }
}

static void take_ranked(struct builder *builder, unsigned top)
{
    uint32_t biggest[PLOT_SITES_MAX];
    unsigned const wanted = top < PLOT_SITES_MAX ? top : PLOT_SITES_MAX;
    struct plot_data *data = builder->data;
    data->site_count = site_table_rank(&builder->sites, wanted, biggest);
    for (unsigned i = 0; i < data->site_count; i++) {
        const struct site_entry *site = &builder->sites.sites.items[biggest[i]];
        data->sites[i] = (struct plot_site){site->function, site->area};
    }
}

/* A recording of one instant is shown as a short stretch of time, since a point has no width. */
static void give_axis_a_length(struct plot_data *data)
{
    if (data->columns.count)
        data->range.from_ns = data->columns.items[0].begin_ns;
    if (data->range.to_ns > data->range.from_ns)
        return;
    data->range.to_ns = data->range.from_ns + EMPTY_AXIS_NS;
    if (data->columns.count)
        data->columns.items[data->columns.count - 1].end_ns = data->range.to_ns;
    if (data->instants.count > 1)
        data->instants.items[data->instants.count - 1].time_ns = data->range.to_ns;
}

/* A foreign file may have call sites of some instants only.  Between two of those the areas go straight; the sum, which
 * is known, is a line of its own. */
static void drop_untold(struct plot_data *data, const struct recording *recording)
{
    unsigned untold = 0;
    size_t kept = 0;
    while (untold < data->site_count &&
           strcmp(recording_text(recording, data->sites[untold].function), UNTOLD_FRAME) != 0)
        untold++;
    if (untold == data->site_count)
        return;
    for (size_t i = 0; i < data->instants.count; i++) {
        const struct plot_instant *instant = &data->instants.items[i];
        bool const is_told = instant->values[untold] != plot_instant_total(data, instant);
        if (is_told || i == 0 || i + 1 == data->instants.count)
            data->instants.items[kept++] = *instant;
    }
    data->instants.count = kept;
}

/* Changes of the level are no allocations, where those were not counted. */
static void drop_rates(struct plot_data *data)
{
    vec_each (column, &data->columns)
        column->allocated_bytes = column->allocated_calls = 0;
}

/* What stands beside the cells of a bucket. */
static int walk_gauges(const struct recording *recording, const struct plot_choice *choice,
                       struct builder *builder, struct fault *fault)
{
    struct plot_data *data = builder->data;
    struct time_range const asked = choice->range;
    char length[HUMAN_MAX];
    builder->to_ns = asked.to_ns < recording->duration_ns ? asked.to_ns : recording->duration_ns;
    builder->from_ns = asked.from_ns;
    data->is_rate = false;
    if (builder->to_ns > asked.from_ns)
        builder->column_ns =
            (builder->to_ns - asked.from_ns) / (choice->max_columns ? choice->max_columns : 1);
    vec_each (bucket, &recording->buckets)
        if (bucket->begin_ns < asked.to_ns)
            draw_bucket(builder, &(struct bucket){.begin_ns = bucket->begin_ns,
                                                  .end_ns = bucket->end_ns,
                                                  .gauges = bucket->gauges,
                                                  .pss_bytes = bucket->pss_bytes,
                                                  .lost_events = bucket->lost_events});
    if (data->columns.count == 0 && asked.from_ns > 0)
        return fault_set(fault, -ERANGE,
                         "nothing was recorded in that time: the recording is %s long",
                         human_duration(recording->duration_ns, length));
    data->instants.count = 0;
    data->range = (struct time_range){
        asked.from_ns,
        data->columns.count ? data->columns.items[data->columns.count - 1].end_ns : 0};
    give_axis_a_length(data);
    return builder->failed ? -ENOMEM : 0;
}

static int walk_twice(struct recording *recording, const struct plot_choice *choice,
                      struct builder *builder, struct fault *fault)
{
    struct time_range const asked = choice->range;
    struct time_range all = {0, asked.to_ns};
    char length[HUMAN_MAX];
    /* A level needs everything that came before; the first walk also tells where the range ends. */
    builder->to_ns = asked.to_ns < recording->duration_ns ? asked.to_ns : recording->duration_ns;
    builder->from_ns = asked.from_ns;
    int err = bucket_walk(recording, &all, (struct bucket_visitor){rank_bucket, builder}, fault);
    if (err)
        return err;
    take_ranked(builder, choice->top);
    uint64_t const span = all.to_ns > asked.from_ns ? all.to_ns - asked.from_ns : 0;
    builder->column_ns = span / (choice->max_columns ? choice->max_columns : 1);
    uint64_t const hz = builder->data->metric->plus == COL_CPU_NS ? recording->timing.hz : 0;
    if (hz > 0 && builder->column_ns < COLUMN_SAMPLES * 1000000000ull / hz)
        builder->column_ns = COLUMN_SAMPLES * 1000000000ull / hz;
    err = bucket_walk(recording, &all, (struct bucket_visitor){draw_bucket, builder}, fault);
    if (err)
        return err;
    if (builder->data->columns.count == 0 && asked.from_ns > 0)
        return fault_set(fault, -ERANGE,
                         "nothing was recorded in that time: the recording is %s long",
                         human_duration(recording->duration_ns, length));
    builder->data->range = (struct time_range){asked.from_ns, all.to_ns};
    give_axis_a_length(builder->data);
    add_pins(builder, recording);
    drop_untold(builder->data, recording);
    if (!recording_counts_blocks(recording))
        drop_rates(builder->data);
    return builder->failed || builder->sites.failed ? -ENOMEM : 0;
}

int plot_data_build(struct recording *recording, const struct plot_choice *choice,
                    struct plot_data *data, struct fault *fault)
{
    const struct metric *live = metric_find("heap.live");
    bool const is_live = choice->metric->plus == live->plus && choice->metric->minus == live->minus;
    struct builder builder = {.data = data};
    memset(data, 0, sizeof(*data));
    data->metric = is_live ? live : choice->metric;
    data->is_rate = data->metric->kind == METRIC_COUNTER;
    find_lanes(&builder);
    int err = site_table_init(&builder.sites, recording);
    builder.sites.by_function = choice->by_function ? data->metric : NULL;
    if (!err && choice->filter)
        err = stack_match_regex(recording, choice->filter, &builder.is_kept);
    if (!err)
        err = choice->only_gauges ? walk_gauges(recording, choice, &builder, fault)
                                  : walk_twice(recording, choice, &builder, fault);
    site_table_fini(&builder.sites);
    free(builder.is_kept);
    if (err == -ENOMEM)
        fault_set(fault, err, "not enough memory to draw the plot");
    if (err)
        plot_data_fini(data);
    return err;
}

void plot_data_fini(struct plot_data *data)
{
    vec_free(&data->columns);
    vec_free(&data->instants);
}

int64_t plot_instant_total(const struct plot_data *data, const struct plot_instant *instant)
{
    int64_t total = 0;
    for (unsigned i = 0; i <= data->site_count; i++)
        total += instant->values[i];
    return total;
}
