/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "cluster/bandwidth/bandwidth_write.h"
#include "report/rows/csv_field.h"

enum { FIELDS = 6 };

static void put_number(double value, FILE *out)
{
    putc(',', out);
    if (!isnan(value))
        fprintf(out, "%.6g", value);
}

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
    fprintf(out, "%swhen,tx bytes/s,rx bytes/s,tx p2p bytes/s,rx p2p bytes/s,TPS,s/block,restart\n",
            has_nick ? "node," : "");
}

static void begin_row(const char *nick, FILE *out)
{
    if (!nick)
        return;
    csv_field_write(out, nick);
    putc(',', out);
}

void bandwidth_report_write(const struct bandwidth *bandwidth, uint32_t node, const char *nick,
                            FILE *out)
{
    static const char *const names[] = {"min", "avg", "max", "std"};
    struct bandwidth_spread spreads[FIELDS] = {{0}};
    double fields[FIELDS];
    char when[TRAFFIC_TIME_MAX];
    vec_each (interval, &bandwidth->nodes.items[node].intervals) {
        fields_of(interval, fields);
        begin_row(nick, out);
        fputs(traffic_time(interval->end_us, when), out);
        for (int i = 0; i < FIELDS; i++) {
            put_number(fields[i], out);
            if (interval->is_counted)
                spread_add(&spreads[i], fields[i], interval->seconds);
        }
        fputs(interval->is_restart ? ",1\n" : ",\n", out);
    }
    if (!nick)
        fputs("\n\n", out);
    for (int row = 0; row < 4; row++) {
        begin_row(nick, out);
        fputs(names[row], out);
        for (int i = 0; i < FIELDS; i++)
            put_number(spread_value(&spreads[i], row), out);
        fputs(",\n", out);
    }
}

static void put_series_name(const struct exposition_series *series, FILE *out)
{
    fputs(",\"", out);
    csv_quoted_write(out, series->name);
    for (uint32_t i = 0; i < series->label_count; i++) {
        fputs(i ? "," : "{", out);
        csv_quoted_write(out, series->labels[i].name);
        putc('=', out);
        csv_quoted_write(out, series->labels[i].value);
    }
    fputs(series->label_count ? "}\"" : "\"", out);
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
    fputs("when", out);
    for (size_t at = 0; at < own_count; at++)
        if (set->series.items[own[at]].is_cumulative)
            put_series_name(set->series.items[own[at]].is, out);
    putc('\n', out);
    for (uint32_t i = first; next && i < first + count; i++) {
        bool const is_row = i > first;
        if (is_row)
            fputs(traffic_time(set->scrapes.items[i].time_us, when), out);
        for (size_t at = 0; at < own_count; at++) {
            const struct series *series = &set->series.items[own[at]];
            if (!series->is_cumulative)
                continue;
            double value = NAN;
            if (next[at] < series->points.count && series->points.items[next[at]].scrape == i)
                value = series_step(set, series, next[at]++).increase;
            if (is_row && isnan(value))
                putc(',', out);
            else if (is_row)
                fprintf(out, ",%.17g", value);
        }
        if (is_row)
            putc('\n', out);
    }
    free(next);
}

void bandwidth_csv_write(const struct bandwidth_answer *answer, FILE *out)
{
    fputs(
        "label,nodes,nodes without blocks,TPS,s/block,tx bytes/s,rx bytes/s,tx p2p bytes/s,rx p2p "
        "bytes/s,pool min,pool mean min,pool mean,pool mean max,pool max\n",
        out);
    for (size_t i = 0; i < answer->groups->groups.count; i++) {
        const struct bandwidth_sum *sum = &answer->sums[i];
        const char *label = answer->groups->groups.items[i].label;
        csv_field_write(out, label[0] ? label : "all");
        fprintf(out, ",%u,%u", sum->nodes, sum->without_chain);
        double const numbers[] = {sum->tps,      sum->block_seconds, sum->sent,    sum->received,
                                  sum->p2p_sent, sum->p2p_received,  sum->pool[0], sum->pool[1],
                                  sum->pool[2],  sum->pool[3],       sum->pool[4]};
        for (size_t at = 0; at < sizeof(numbers) / sizeof(numbers[0]); at++)
            put_number(numbers[at], out);
        putc('\n', out);
    }
}

void bandwidth_pool_write(const struct bandwidth *bandwidth, uint32_t node, FILE *out)
{
    const struct series_set *set = &bandwidth->set;
    char when[TRAFFIC_TIME_MAX];
    fputs("time,pool\n", out);
    size_t count;
    const uint32_t *own = series_of_node(set, node, &count);
    for (size_t i = 0; i < count; i++) {
        const struct series *series = &set->series.items[own[i]];
        if (!bandwidth_is_pool(bandwidth, series))
            continue;
        vec_each (point, &series->points)
            fprintf(out, "%s,%.17g\n", traffic_time(series_time(set, *point), when),
                    series_value(*point));
    }
}
