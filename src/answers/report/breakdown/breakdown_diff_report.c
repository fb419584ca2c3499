/* SPDX-License-Identifier: Apache-2.0 */
#include "report/breakdown/breakdown_diff_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/csv_out.h"
#include "base/json_out.h"
#include "report/breakdown/breakdown_parts.h"
#include "report/text/text_style.h"

#define NAME_COLUMNS 60

static void put_capture(const char *title, const struct breakdown *breakdown, FILE *out)
{
    char when[40];
    time_t const seconds = (time_t)(breakdown->time_unix_ns / NS_PER_SECOND);
    struct tm local;
    localtime_r(&seconds, &local);
    strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &local);
    fprintf(out, "%s: ", title);
    text_write(out, breakdown->name, 60);
    fprintf(out, ", pid %u, %s\n", breakdown->pid, when);
}

static void put_line(const struct breakdown_diff_view *view, const char *name,
                     const struct memory_bytes *before, const struct memory_bytes *after, FILE *out)
{
    enum memory_figure const figure = view->diff->figure;
    uint64_t const first = memory_figure_of(before, figure);
    uint64_t const second = memory_figure_of(after, figure);
    size_t const columns = text_write(out, name, NAME_COLUMNS);
    fprintf(out, "%*s %12" PRIu64 " %12" PRIu64 " %+12" PRId64 "\n",
            columns < NAME_COLUMNS ? (int)(NAME_COLUMNS - columns) : 0, "", first / 1024,
            second / 1024, (int64_t)(second - first) / 1024);
}

static void name_of(const struct breakdown_diff_view *view, const struct breakdown_change *change,
                    char *name, size_t size)
{
    snprintf(name, size, "%s / %s%s%s", breakdown_section_title(view->after, change->section),
             change->label, change->item[0] ? " / " : "", change->item);
}

static bool is_small(const struct breakdown_diff_view *view, const struct breakdown_change *change)
{
    int64_t const by = breakdown_change_of(change, view->diff->figure);
    return (uint64_t)llabs(by) < view->min_bytes;
}

void breakdown_diff_text_write(const struct breakdown_diff_view *view, FILE *out)
{
    struct memory_bytes before = {0}, after = {0};
    unsigned shown = 0, left = 0;
    char heads[3][32], name[400];
    const char *figure = memory_figure_name(view->diff->figure);
    fputs("=== Memory Breakdown, Changes ===\n", out);
    put_capture("before", view->before, out);
    put_capture("after ", view->after, out);
    snprintf(heads[0], sizeof(heads[0]), "%s kB", figure);
    fprintf(out, "\n%-*s %12s %12s %12s\n", NAME_COLUMNS, "", heads[0], "after", "change");
    vec_each (change, &view->diff->changes) {
        if (breakdown_change_of(change, view->diff->figure) == 0)
            continue;
        if (shown >= view->top || is_small(view, change)) {
            memory_bytes_add(&before, &change->before);
            memory_bytes_add(&after, &change->after);
            left++;
            continue;
        }
        name_of(view, change, name, sizeof(name));
        put_line(view, name, &change->before, &change->after, out);
        shown++;
    }
    if (left) {
        snprintf(name, sizeof(name), "%u smaller changes", left);
        put_line(view, name, &before, &after, out);
    }
    put_line(view, "Total", &view->before->total, &view->after->total, out);
}

static void put_json_figures(struct json_out *json, const char *key,
                             const struct memory_bytes *bytes)
{
    json_key(json, key);
    json_object_begin_inline(json);
    for (int i = 0; i < FIGURES; i++)
        json_uint_field(json, memory_figure_name((enum memory_figure)i),
                        memory_figure_of(bytes, (enum memory_figure)i));
    json_object_end(json);
}

static void put_json_capture(struct json_out *json, const char *key,
                             const struct breakdown *breakdown)
{
    json_key(json, key);
    json_object_begin(json);
    json_uint_field(json, "pid", breakdown->pid);
    json_text_field(json, "name", breakdown->name);
    json_uint_field(json, "time_unix_ns", breakdown->time_unix_ns);
    put_json_figures(json, "total", &breakdown->total);
    json_object_end(json);
}

int breakdown_diff_json_write(const struct breakdown_diff_view *view, FILE *out)
{
    struct json_out json;
    json_init(&json, out, true);
    json_object_begin(&json);
    json_text_field(&json, "format", "memoir-map-diff");
    json_int_field(&json, "version", 1);
    json_text_field(&json, "figure", memory_figure_name(view->diff->figure));
    put_json_capture(&json, "before", view->before);
    put_json_capture(&json, "after", view->after);
    json_key(&json, "changes");
    json_array_begin(&json);
    vec_each (change, &view->diff->changes) {
        if (is_small(view, change))
            continue;
        json_object_begin(&json);
        json_text_field(&json, "section", breakdown_section_key(change->section));
        json_text_field(&json, "label", change->label);
        json_text_field(&json, "item", change->item);
        json_int_field(&json, "change", breakdown_change_of(change, view->diff->figure));
        put_json_figures(&json, "before", &change->before);
        put_json_figures(&json, "after", &change->after);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    return json_finish(&json);
}

void breakdown_diff_csv_write(const struct breakdown_diff_view *view, FILE *out)
{
    enum memory_figure const figure = view->diff->figure;
    const char *name = memory_figure_name(figure);
    struct csv_out csv;
    csv_init(&csv, out);
    csv_format(&csv, "section,label,item,%s_before_bytes,%s_after_bytes,%s_change_bytes", name,
               name, name);
    csv_end_row(&csv);
    vec_each (change, &view->diff->changes) {
        if (is_small(view, change))
            continue;
        csv_text(&csv, breakdown_section_key(change->section));
        csv_text(&csv, change->label);
        csv_text(&csv, change->item);
        csv_uint(&csv, memory_figure_of(&change->before, figure));
        csv_uint(&csv, memory_figure_of(&change->after, figure));
        csv_int(&csv, breakdown_change_of(change, figure));
        csv_end_row(&csv);
    }
}
