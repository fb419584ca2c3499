/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "base/json_out.h"
#include "cluster/bandwidth/bandwidth_write.h"
#include "cluster/metrics/metric_write.h"
#include "report/rows/csv_field.h"

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
        const char *type = type_shown(row.first);
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
