/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json_out.h"
#include "cluster/bandwidth_write.h"
#include "cluster/metric_write.h"
#include "report/csv_field.h"

struct metric_row {
    const struct series *first;
    size_t series;
};

/* The metrics in order; `at` is moved behind the next. */
static bool next_metric(const struct series_set *set, size_t *at, struct metric_row *row)
{
    if (*at >= set->series.count)
        return false;
    *row = (struct metric_row){.first = &set->series.items[*at]};
    for (; *at < set->series.count &&
           strcmp(set->series.items[*at].is->name, row->first->is->name) == 0;
         ++*at)
        row->series++;
    return true;
}

static void list_json(const struct series_set *set, FILE *out)
{
    struct json_out json;
    struct metric_row row;
    json_init(&json, out, true);
    json_object_begin(&json);
    json_uint_field(&json, "answers", set->tally.answers);
    json_uint_field(&json, "samples", set->tally.samples);
    json_uint_field(&json, "bad_lines", set->tally.bad_lines);
    json_uint_field(&json, "unread_files", set->unread_files);
    json_key(&json, "metrics");
    json_array_begin(&json);
    for (size_t at = 0; next_metric(set, &at, &row);) {
        json_object_begin_inline(&json);
        json_text_field(&json, "name", row.first->is->name);
        json_text_field(&json, "type", exposition_type_name(row.first->family->type));
        json_uint_field(&json, "series", row.series);
        json_text_field(&json, "help", row.first->family->help);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    (void)json_finish(&json);
}

static void put_doubts(const struct series_set *set, FILE *out)
{
    if (set->tally.bad_lines) {
        fprintf(out, "note: %" PRIu64 " lines make no sense and were left out, the first in ",
                set->tally.bad_lines);
        text_write(out, set->bad_file ? set->bad_file : "?", 300);
        fprintf(out, ", line %" PRIu64 ": ", set->tally.first_bad_line);
        text_write(out, set->tally.first_bad_text, 80);
        putc('\n', out);
    }
    if (set->tally.repeated)
        fprintf(out, "note: %" PRIu64 " samples came twice in an answer; the last one counts\n",
                set->tally.repeated);
    if (set->unread_files)
        fprintf(out, "note: %" PRIu64 " files of metrics are empty or could not be read\n",
                set->unread_files);
}

void metric_list_write(const struct series_set *set, enum metric_form form,
                       const struct text_style *style, FILE *out)
{
    struct metric_row row;
    if (form == METRIC_JSON) {
        list_json(set, out);
        return;
    }
    if (form == METRIC_CSV)
        fputs("name,type,series,help\n", out);
    for (size_t at = 0; next_metric(set, &at, &row);) {
        const char *help = row.first->family->help ? row.first->family->help : "";
        const char *type = exposition_type_name(row.first->family->type);
        if (form == METRIC_CSV) {
            csv_field_write(out, row.first->is->name);
            fprintf(out, ",%s,%zu,", type, row.series);
            csv_field_write(out, help);
        } else {
            fprintf(out, "%-10s %6zu  ", type, row.series);
            size_t used = text_write(out, row.first->is->name, 200);
            for (; used < 48; used++)
                putc(' ', out);
            putc(' ', out);
            text_write(out, help, text_room(style, 20 + (used > 48 ? used : 48)));
        }
        putc('\n', out);
    }
    if (form == METRIC_TEXT)
        put_doubts(set, out);
}

static void nodes_json(const struct series_set *set, FILE *out)
{
    struct json_out json;
    json_init(&json, out, true);
    json_array_begin(&json);
    for (uint32_t i = 0; i < set->run->nodes.count; i++) {
        const struct run_node *node = &set->run->nodes.items[i];
        uint32_t first;
        json_object_begin_inline(&json);
        json_text_field(&json, "name", node->name);
        json_text_field(&json, "nick", node->nick);
        json_text_field(&json, "role", node->role);
        json_text_field(&json, "class", node->class_name);
        json_uint_field(&json, "answers", series_scrapes_of(set, i, &first));
        json_uint_field(&json, "gaps", node->gaps);
        json_object_end(&json);
    }
    json_array_end(&json);
    (void)json_finish(&json);
}

void metric_nodes_write(const struct series_set *set, enum metric_form form,
                        const struct text_style *style, FILE *out)
{
    char from[TRAFFIC_TIME_MAX], to[TRAFFIC_TIME_MAX];
    (void)style;
    if (form == METRIC_JSON) {
        nodes_json(set, out);
        return;
    }
    fputs(form == METRIC_CSV ? "name,nick,role,class,answers,first,last,gaps\n"
                             : "name\tnick\trole\tclass\tanswers\tfirst\tlast\tgaps\n",
          out);
    char const separator = form == METRIC_CSV ? ',' : '\t';
    for (uint32_t i = 0; i < set->run->nodes.count; i++) {
        const struct run_node *node = &set->run->nodes.items[i];
        const char *const texts[] = {node->name, node->nick, node->role, node->class_name};
        uint32_t first;
        uint32_t const count = series_scrapes_of(set, i, &first);
        for (int at = 0; at < 4; at++) {
            csv_field_write(out, texts[at] ? texts[at] : "");
            putc(separator, out);
        }
        fprintf(out, "%u%c%s%c%s%c%" PRIu64 "\n", count, separator,
                count ? traffic_time(set->scrapes.items[first].time_us, from) : "", separator,
                count ? traffic_time(set->scrapes.items[first + count - 1].time_us, to) : "",
                separator, node->gaps);
    }
}

struct spread {
    size_t count;
    double min, max;
};

static struct spread spread_of(const struct series *series)
{
    struct spread spread = {.min = NAN, .max = NAN};
    vec_each (point, &series->points) {
        double const value = series_value(*point);
        spread.count++;
        spread.min = fmin(spread.min, value);
        spread.max = fmax(spread.max, value);
    }
    return spread;
}

static void put_spread(const struct series_set *set, const struct series *series,
                       struct spread spread, FILE *out)
{
    text_write(out, set->run->nodes.items[series->node].name, 80);
    putc(' ', out);
    text_write(out, series->is->name, 200);
    for (uint32_t i = 0; i < series->is->label_count; i++) {
        fputs(i ? "," : "{", out);
        text_write(out, series->is->labels[i].name, 80);
        fputs("=", out);
        text_write(out, series->is->labels[i].value, 80);
    }
    fprintf(out, "%s: count %zu, max %.17g, min %.17g, max-min %.17g\n",
            series->is->label_count ? "}" : "", spread.count, spread.max, spread.min,
            spread.max - spread.min);
}

int metric_spread_write(const struct series_set *set, const struct curve_question *question,
                        const struct node_groups *groups, bool is_max_min, FILE *out,
                        struct fault *fault)
{
    for (size_t i = 0; i < question->names.count; i++) {
        const struct series *series;
        size_t const count = series_find(set, question->names.items[i], &series);
        double sum = 0;
        size_t used = 0;
        for (size_t at = 0; at < count; at++) {
            if (!node_group_of(groups, series[at].node) ||
                !curve_question_fits(question, set, &series[at]))
                continue;
            if (!series[at].is->is_cumulative)
                return fault_set(fault, -ENODATA, "%s is a %s: --avg-max is about counters",
                                 series[at].is->name,
                                 exposition_type_name(series[at].family->type));
            struct spread const spread = spread_of(&series[at]);
            put_spread(set, &series[at], spread, out);
            sum += is_max_min ? spread.max - spread.min : spread.max;
            used++;
        }
        fprintf(out, "%s: mean of %s %.17g over %zu\n", question->names.items[i],
                is_max_min ? "max-min" : "max", used ? sum / (double)used : 0, used);
    }
    return 0;
}
