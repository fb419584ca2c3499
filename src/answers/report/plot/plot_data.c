/* SPDX-License-Identifier: Apache-2.0 */
#include "report/plot/plot_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/sums/bucket_walk.h"
#include "analyze/trees/stack_match.h"
#include "analyze/sums/sum_tree.h"
#include "base/clock.h"
#include "base/human.h"
#include "report/plot/plot_columns.h"
#include "report/plot/plot_sites.h"

#define COLUMN_SAMPLES 25u /* of a busy thread, in a column: fewer are more chance than curve */
#define NOTES_MOST     (4u << 20) /* of what a site gets in a column */
#define EMPTY_AXIS_NS  1000000    /* what the axis of a recording of no duration shows */

struct plot_builder {
    struct recording *recording;
    const struct plot_choice *choice;
    struct plot_data *data;
    struct column_maker columns;
    struct site_maker sites;
    bool added[COLUMN_LIMIT]; /* by the metric */
};

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

/* A foreign file may have call sites of some instants only.  Between two of those the areas go
 * straight; the sum, which is known, is a line of its own. */
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

/* The end of the last bucket that is asked for. */
static uint64_t find_end(const struct recording *recording, uint64_t to_ns)
{
    uint64_t end_ns = 0;
    vec_each (bucket, &recording->buckets)
        if (bucket->begin_ns < to_ns)
            end_ns = bucket->end_ns;
    return end_ns;
}

static void choose_columns(struct plot_builder *builder, uint64_t end_ns)
{
    const struct plot_choice *choice = builder->choice;
    struct column_maker *columns = &builder->columns;
    uint64_t const from_ns = choice->range.from_ns;
    uint64_t const span = end_ns > from_ns ? end_ns - from_ns : 0;
    columns->column_ns = span / (choice->max_columns ? choice->max_columns : 1);
    uint64_t const hz =
        builder->data->metric->plus == COL_CPU_NS ? builder->recording->timing.hz : 0;
    if (hz > 0 && columns->column_ns < COLUMN_SAMPLES * NS_PER_SECOND / hz)
        columns->column_ns = COLUMN_SAMPLES * NS_PER_SECOND / hz;
}

static void add_to_both(void *into, const struct bucket *bucket)
{
    struct plot_builder *builder = into;
    column_maker_add(&builder->columns, bucket);
    site_maker_add(&builder->sites, bucket);
}

/* At one go where all cells have to be read anyway. */
static int draw_all(struct plot_builder *builder, struct fault *fault)
{
    struct recording *recording = builder->recording;
    struct time_range all = {0, builder->choice->range.to_ns}, again = all;
    if (!sum_tree_is_large(sum_tree_of(recording)))
        return bucket_walk(recording, &all, (struct bucket_visitor){add_to_both, builder}, fault);
    int const err = bucket_walk_totals(
        recording, &all, (struct bucket_visitor){column_maker_add, &builder->columns}, fault);
    return err ? err
               : bucket_walk_drawn(
                     recording, &again, (struct bucket_visitor){site_maker_add, &builder->sites},
                     (struct drawn_columns){builder->choice->range.from_ns, builder->added}, fault);
}

/* What stands beside the cells of a bucket. */
static void draw_gauges(struct plot_builder *builder)
{
    vec_each (bucket, &builder->recording->buckets)
        if (bucket->begin_ns < builder->choice->range.to_ns)
            column_maker_add(&builder->columns,
                             &(struct bucket){.begin_ns = bucket->begin_ns,
                                              .end_ns = bucket->end_ns,
                                              .gauges = bucket->gauges,
                                              .pss_bytes = bucket->pss_bytes,
                                              .lost_events = bucket->lost_events});
}

static int build(struct plot_builder *builder, struct fault *fault)
{
    const struct plot_choice *choice = builder->choice;
    struct recording *recording = builder->recording;
    struct plot_data *data = builder->data;
    uint64_t const end_ns = find_end(recording, choice->range.to_ns),
                   from_ns = choice->range.from_ns;
    char length[HUMAN_MAX];
    int err = 0;
    choose_columns(builder, end_ns);
    if (choice->only_gauges)
        draw_gauges(builder);
    else
        err = draw_all(builder, fault);
    if (err)
        return err;
    if (data->columns.count == 0 && from_ns > 0)
        return fault_set(fault, -ERANGE,
                         "nothing was recorded in that time: the recording is %s long",
                         human_duration(recording->duration_ns, length));
    data->range = (struct time_range){from_ns, end_ns};
    site_maker_finish(&builder->sites, choice->top);
    give_axis_a_length(data);
    if (!choice->only_gauges) {
        site_maker_add_pins(&builder->sites, recording);
        drop_untold(data, recording);
        if (!recording_counts_blocks(recording))
            drop_rates(data);
    }
    return builder->columns.failed || builder->sites.failed || builder->sites.sites.failed ? -ENOMEM
                                                                                           : 0;
}

int plot_data_build(struct recording *recording, const struct plot_choice *choice,
                    struct plot_data *data, struct fault *fault)
{
    const struct metric *live = metric_find("heap.live");
    bool const is_live = choice->metric->plus == live->plus && choice->metric->minus == live->minus;
    uint64_t const from_ns = choice->range.from_ns;
    uint64_t const to_ns =
        choice->range.to_ns < recording->duration_ns ? choice->range.to_ns : recording->duration_ns;
    struct plot_builder builder = {
        .recording = recording,
        .choice = choice,
        .data = data,
        .columns = {.data = data, .from_ns = from_ns, .to_ns = to_ns},
        .sites = {.data = data, .from_ns = from_ns, .to_ns = to_ns, .notes_most = NOTES_MOST},
    };
    memset(data, 0, sizeof(*data));
    data->metric = is_live ? live : choice->metric;
    data->is_rate = data->metric->kind == METRIC_COUNTER && !choice->only_gauges;
    for (unsigned i = 0; i < COLUMN_LIMIT; i++)
        builder.added[i] = metric_sign(data->metric, i) != 0;
    column_maker_init(&builder.columns);
    int err = site_table_init(&builder.sites.sites, recording);
    builder.sites.sites.by_function = choice->by_function ? data->metric : NULL;
    if (!err && choice->filter)
        err = stack_match_pattern(recording, choice->filter, &builder.sites.is_kept, fault);
    if (!err)
        err = build(&builder, fault);
    site_maker_fini(&builder.sites);
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
