/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/csv_out.h"
#include "cluster/bandwidth/bandwidth_write.h"

enum { FIELDS = 6, DIGITS = 6 };

static void fields_of(const struct bandwidth_interval *interval, double fields[FIELDS])
{
    fields[0] = interval->sent;
    fields[1] = interval->received;
    fields[2] = interval->p2p_sent;
    fields[3] = interval->p2p_received;
    fields[4] = interval->tps;
    fields[5] = interval->block_seconds;
}

struct bandwidth_spread {
    double min, max, sum, squares, weighted, seconds;
    unsigned count;
};

static void spread_add(struct bandwidth_spread *spread, double value, double seconds)
{
    if (isnan(value))
        return;
    spread->min = spread->count ? fmin(spread->min, value) : value;
    spread->max = spread->count ? fmax(spread->max, value) : value;
    spread->sum += value;
    spread->squares += value * value;
    spread->weighted += value * seconds;
    spread->seconds += seconds;
    spread->count++;
}

static double spread_value(const struct bandwidth_spread *spread, int which)
{
    if (spread->count == 0)
        return NAN;
    double const mean = spread->sum / spread->count;
    double const variance = spread->squares / spread->count - mean * mean;
    return which == 0   ? spread->min
           : which == 1 ? spread->weighted / spread->seconds
           : which == 2 ? spread->max
                        : sqrt(variance > 0 ? variance : 0);
}

void bandwidth_report_head_write(bool has_nick, FILE *out)
{
    struct csv_out csv;
    csv_init(&csv, out);
    if (has_nick)
        csv_text(&csv, "node");
    csv_head(&csv, "when,tx bytes/s,rx bytes/s,tx p2p bytes/s,rx p2p bytes/s,TPS,s/block,restart");
}

static void begin_row(struct csv_out *csv, const char *nick, const char *first)
{
    if (nick)
        csv_text(csv, nick);
    csv_text(csv, first);
}

void bandwidth_report_write(const struct bandwidth *bandwidth, uint32_t node, const char *nick,
                            FILE *out)
{
    static const char *const names[] = {"min", "avg", "max", "std"};
    struct bandwidth_spread spreads[FIELDS] = {{0}};
    double fields[FIELDS];
    char when[TRAFFIC_TIME_MAX];
    struct csv_out csv;
    csv_init(&csv, out);
    vec_each (interval, &bandwidth->nodes.items[node].intervals) {
        fields_of(interval, fields);
        begin_row(&csv, nick, traffic_time(interval->end_us, when));
        for (int i = 0; i < FIELDS; i++) {
            csv_real(&csv, fields[i], DIGITS);
            if (interval->is_counted)
                spread_add(&spreads[i], fields[i], interval->seconds);
        }
        csv_text(&csv, interval->is_restart ? "1" : "");
        csv_end_row(&csv);
    }
    if (!nick)
        fputs("\n\n", out);
    for (int row = 0; row < 4; row++) {
        begin_row(&csv, nick, names[row]);
        for (int i = 0; i < FIELDS; i++)
            csv_real(&csv, spread_value(&spreads[i], row), DIGITS);
        csv_empty(&csv);
        csv_end_row(&csv);
    }
}

static void put_series_name(struct csv_out *csv, const struct exposition_series *series)
{
    csv_quoted_begin(csv);
    csv_quoted_add(csv, series->name);
    for (uint32_t i = 0; i < series->label_count; i++) {
        csv_quoted_add(csv, i ? "," : "{");
        csv_quoted_add(csv, series->labels[i].name);
        csv_quoted_add(csv, "=");
        csv_quoted_add(csv, series->labels[i].value);
    }
    csv_quoted_add(csv, series->label_count ? "}" : "");
    csv_quoted_end(csv);
}

/* One row per interval, one column per counter. */
void bandwidth_deltas_write(const struct bandwidth *bandwidth, uint32_t node, FILE *out)
{
    const struct series_set *set = &bandwidth->set;
    char when[TRAFFIC_TIME_MAX];
    size_t own_count;
    const uint32_t *own = series_of_node(set, node, &own_count);
    size_t *next = calloc(own_count + 1, sizeof(*next)); /* by series of it: its next point */
    uint32_t first;
    uint32_t const count = series_scrapes_of(set, node, &first);
    struct csv_out csv;
    csv_init(&csv, out);
    csv_text(&csv, "when");
    for (size_t at = 0; at < own_count; at++)
        if (set->series.items[own[at]].is_cumulative)
            put_series_name(&csv, set->series.items[own[at]].is);
    csv_end_row(&csv);
    for (uint32_t i = first; next && i < first + count; i++) {
        bool const is_row = i > first;
        if (is_row)
            csv_text(&csv, traffic_time(set->scrapes.items[i].time_us, when));
        for (size_t at = 0; at < own_count; at++) {
            const struct series *series = &set->series.items[own[at]];
            if (!series->is_cumulative)
                continue;
            double value = NAN;
            if (next[at] < series->points.count && series->points.items[next[at]].scrape == i)
                value = series_step(set, series, next[at]++).increase;
            if (is_row)
                csv_real(&csv, value, 17);
        }
        if (is_row)
            csv_end_row(&csv);
    }
    free(next);
}

void bandwidth_csv_write(const struct bandwidth_answer *answer, FILE *out)
{
    struct csv_out csv;
    csv_init(&csv, out);
    csv_head(&csv, "label,nodes,nodes without blocks,TPS,s/block,tx bytes/s,rx bytes/s,"
                   "tx p2p bytes/s,rx p2p bytes/s,pool min,pool mean min,pool mean,pool mean max,"
                   "pool max");
    for (size_t i = 0; i < answer->groups->groups.count; i++) {
        const struct bandwidth_sum *sum = &answer->sums[i];
        const char *label = answer->groups->groups.items[i].label;
        csv_text(&csv, label[0] ? label : "all");
        csv_uint(&csv, sum->nodes);
        csv_uint(&csv, sum->without_chain);
        double const numbers[] = {sum->tps,      sum->block_seconds, sum->sent,    sum->received,
                                  sum->p2p_sent, sum->p2p_received,  sum->pool[0], sum->pool[1],
                                  sum->pool[2],  sum->pool[3],       sum->pool[4]};
        for (size_t at = 0; at < sizeof(numbers) / sizeof(numbers[0]); at++)
            csv_real(&csv, numbers[at], DIGITS);
        csv_end_row(&csv);
    }
}

void bandwidth_pool_write(const struct bandwidth *bandwidth, uint32_t node, FILE *out)
{
    const struct series_set *set = &bandwidth->set;
    char when[TRAFFIC_TIME_MAX];
    size_t count;
    const uint32_t *own = series_of_node(set, node, &count);
    struct csv_out csv;
    csv_init(&csv, out);
    csv_head(&csv, "time,pool");
    for (size_t i = 0; i < count; i++) {
        const struct series *series = &set->series.items[own[i]];
        if (!bandwidth_is_pool(bandwidth, series))
            continue;
        vec_each (point, &series->points) {
            csv_text(&csv, traffic_time(series_time(set, *point), when));
            csv_format(&csv, "%.17g", series_value(*point));
            csv_end_row(&csv);
        }
    }
}
