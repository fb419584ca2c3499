/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "base/csv_out.h"
#include "base/json_out.h"
#include "cluster/bandwidth/bandwidth_write.h"
#include "cluster/metrics/metric_write.h"

struct metric_row {
    const struct series *first;
    size_t series;
};

/* What no node says but the name does is said with a question mark. */
static const char *type_shown(const struct series *series)
{
    enum exposition_type const type = series->family->type;
    return type == EXPOSITION_UNKNOWN && series->is_cumulative ? "counter?"
                                                               : exposition_type_name(type);
}

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
        json_bool_field(&json, "counts_up", row.first->is_cumulative);
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

static void list_csv(const struct series_set *set, FILE *out)
{
    struct csv_out csv;
    struct metric_row row;
    csv_init(&csv, out);
    csv_head(&csv, "name,type,series,help");
    for (size_t at = 0; next_metric(set, &at, &row);) {
        csv_text(&csv, row.first->is->name);
        csv_text(&csv, type_shown(row.first));
        csv_uint(&csv, row.series);
        csv_text(&csv, row.first->family->help);
        csv_end_row(&csv);
    }
}

static void list_text(const struct series_set *set, const struct text_style *style, FILE *out)
{
    struct metric_row row;
    for (size_t at = 0; next_metric(set, &at, &row);) {
        const char *help = row.first->family->help ? row.first->family->help : "";
        fprintf(out, "%-10s %6zu  ", type_shown(row.first), row.series);
        size_t used = text_write(out, row.first->is->name, 200);
        for (; used < 48; used++)
            putc(' ', out);
        putc(' ', out);
        text_write(out, help, text_room(style, 20 + used));
        putc('\n', out);
    }
    put_doubts(set, out);
}

void metric_list_write(const struct series_set *set, enum metric_form form,
                       const struct text_style *style, FILE *out)
{
    if (form == METRIC_JSON)
        list_json(set, out);
    else if (form == METRIC_CSV)
        list_csv(set, out);
    else
        list_text(set, style, out);
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

/* As text, columns with tabs between them. */
void metric_nodes_write(const struct series_set *set, enum metric_form form,
                        const struct text_style *style, FILE *out)
{
    static const char *const names[] = {"name",    "nick",  "role", "class",
                                        "answers", "first", "last", "gaps"};
    char time[TRAFFIC_TIME_MAX];
    struct csv_out csv;
    (void)style;
    if (form == METRIC_JSON) {
        nodes_json(set, out);
        return;
    }
    csv_init(&csv, out);
    csv.separator = form == METRIC_CSV ? ',' : '\t';
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        csv_text(&csv, names[i]);
    csv_end_row(&csv);
    for (uint32_t i = 0; i < set->run->nodes.count; i++) {
        const struct run_node *node = &set->run->nodes.items[i];
        uint32_t first;
        uint32_t const count = series_scrapes_of(set, i, &first);
        const struct scrape *scrapes = &set->scrapes.items[first];
        csv_text(&csv, node->name);
        csv_text(&csv, node->nick);
        csv_text(&csv, node->role);
        csv_text(&csv, node->class_name);
        csv_uint(&csv, count);
        csv_text(&csv, count ? traffic_time(scrapes[0].time_us, time) : "");
        csv_text(&csv, count ? traffic_time(scrapes[count - 1].time_us, time) : "");
        csv_uint(&csv, node->gaps);
        csv_end_row(&csv);
    }
}
