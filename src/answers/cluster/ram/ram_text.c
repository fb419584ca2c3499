/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "cluster/ram/ram_report.h"
#include "report/text/growth_text.h"
#include "report/rows/name_columns.h"

#define NAME_COLUMNS 22
#define ROLE_COLUMNS 8
#define US_NS        1000

void ram_summarize_between(const struct ram *ram, size_t node, size_t column, size_t from,
                           size_t to, struct ram_summary *summary)
{
    struct growth_point *points = calloc(ram->stamps.count + 1, sizeof(*points));
    *summary = (struct ram_summary){.first = RAM_NONE, .last = RAM_NONE, .max = RAM_NONE};
    for (size_t row = from; row < to; row++) {
        int64_t const value = ram_value(ram, node, column, row);
        if (value == RAM_NONE)
            continue;
        if (points)
            points[summary->points] = (struct growth_point){
                (uint64_t)(ram->stamps.items[row] - ram->stamps.items[0]) * US_NS, value};
        summary->points++;
        summary->first = summary->points == 1 ? value : summary->first;
        summary->last = value;
        summary->max = value > summary->max ? value : summary->max;
    }
    if (points)
        growth_judge(&(struct growth_question){.points = points, .count = summary->points},
                     &summary->growth);
    free(points);
}

void ram_summarize(const struct ram *ram, size_t node, int64_t column, struct ram_summary *summary)
{
    *summary = (struct ram_summary){.first = RAM_NONE, .last = RAM_NONE, .max = RAM_NONE};
    if (column >= 0)
        ram_summarize_between(ram, node, (size_t)column, 0, ram->stamps.count, summary);
}

static const char *bytes_text(int64_t bytes, char out[HUMAN_MAX])
{
    return bytes == RAM_NONE ? "-" : human_bytes(bytes, out);
}

static const char *change_text(int64_t change, char out[HUMAN_MAX + 1])
{
    out[0] = '+';
    human_bytes(change, out + (change > 0));
    return out;
}

static void add_verdict(const struct ram_summary *summary, struct text_line *line)
{
    if (summary->growth.verdict == GROWTH_GROWING) {
        line_add(line, "grows by ");
        growth_rate_render(&summary->growth, summary->growth.slope, line);
    } else {
        line_add(line, "%s",
                 summary->growth.verdict == GROWTH_UNKNOWN
                     ? "-"
                     : growth_verdict_name(summary->growth.verdict));
    }
}

static void put_cell(FILE *out, const char *text, size_t columns)
{
    size_t const used = text_write(out, text, columns);
    fprintf(out, "%*s ", (int)(columns - used), "");
}

static size_t label_columns(const struct ram *ram)
{
    const char **labels = calloc(ram->nodes.count + 1, sizeof(*labels));
    for (size_t i = 0; labels && i < ram->nodes.count; i++)
        labels[i] = ram_node_label(ram, i);
    size_t const columns = name_columns(labels, labels ? ram->nodes.count : 0, NAME_COLUMNS);
    free(labels);
    return columns;
}

static void put_node(const struct ram *ram, size_t node, size_t columns,
                     const struct text_style *style, FILE *out)
{
    char first[HUMAN_MAX], last[HUMAN_MAX], max[HUMAN_MAX], change[HUMAN_MAX + 1], rss[HUMAN_MAX];
    int64_t const rss_column = ram_column(ram, "rss");
    struct ram_summary heap, resident;
    struct text_line verdict = {0};
    ram_summarize(ram, node, RAM_HEAP_COLUMN, &heap);
    ram_summarize(ram, node, rss_column, &resident);
    const struct ram_summary *judged = heap.points ? &heap : &resident;
    add_verdict(judged, &verdict);
    put_cell(out, ram_node_label(ram, node), columns);
    put_cell(out, ram_node(ram, node)->role, ROLE_COLUMNS);
    fprintf(out, "%5zu %11s %11s %11s %11s", judged->points, bytes_text(heap.first, first),
            bytes_text(heap.last, last), bytes_text(heap.max, max),
            heap.points ? change_text(heap.last - heap.first, change) : "-");
    if (rss_column >= 0)
        fprintf(out, " %11s", bytes_text(resident.last, rss));
    int64_t const inuse = ram_column(ram, "inuse");
    if (inuse >= 0) {
        struct ram_summary runtime;
        ram_summarize(ram, node, inuse, &runtime);
        fprintf(out, " %11s", bytes_text(runtime.last, rss));
    }
    text_ink(style, out, judged->growth.verdict == GROWTH_GROWING ? INK_WARN : INK_PLAIN);
    fprintf(out, "  %s\n", verdict.text);
    text_ink(style, out, INK_PLAIN);
}

static void put_head(const struct ram *ram, const struct text_style *style, FILE *out)
{
    struct text_line line = {0};
    char text[HUMAN_MAX], from[RUN_STAMP_MAX], to[RUN_STAMP_MAX];
    int64_t const begin = ram->stamps.items[0], end = ram->stamps.items[ram->stamps.count - 1];
    int64_t const low = ram_round_of_all(ram, 0),
                  high = ram_round_of_all(ram, ram->stamps.count - 1);
    line_add_name(&line, ram->run->path);
    line_add(&line, ": ");
    line_add_counted(&line, (int64_t)ram->nodes.count, "node");
    line_add(&line, ", ");
    line_add_counted(&line, (int64_t)ram->stamps.count, "snapshot");
    line_add(&line, " from %s to %s (%s)", run_stamp_text(begin, 0, from),
             run_stamp_text(end, 0, to), human_duration((uint64_t)(end - begin) * US_NS, text));
    if (low != RAM_NONE && high != RAM_NONE)
        line_add(&line, ", heights %lld to %lld", (long long)low, (long long)high);
    text_ink(style, out, INK_STRONG);
    fprintf(out, "%s\n", line.text);
    text_ink(style, out, INK_PLAIN);
}

static void put_functions(const struct growers *growers, const struct ram_report *report,
                          const char *of, const struct text_style *style, FILE *out)
{
    char from[RUN_STAMP_MAX], to[RUN_STAMP_MAX], change[HUMAN_MAX + 1], other[HUMAN_MAX + 1];
    bool const is_all = growers == &report->growth->all;
    size_t shown = 0;
    fprintf(out, "\nfunctions that grew most, ");
    text_write(out, of, 200);
    fprintf(out, ", %s to %s (%s):\n", run_stamp_text(growers->from_us, 0, from),
            run_stamp_text(growers->to_us, 0, to),
            change_text((int64_t)((uint64_t)growers->after - (uint64_t)growers->before), change));
    vec_each (row, &growers->rows) {
        if (row->flat <= 0 || shown == report->top)
            break;
        if (shown++ == 0)
            fprintf(out, "%12s %12s %s function\n", "flat", "cumulative", is_all ? " nodes " : "");
        fprintf(out, "%12s %12s ", change_text(row->flat, change),
                change_text(row->cumulative, other));
        if (is_all)
            fprintf(out, "%3u/%-3u ", row->nodes, report->growth->compared);
        putc(' ', out);
        text_write(out, string_table_text(growers->names, row->function),
                   text_room(style, is_all ? 36 : 28));
        putc('\n', out);
    }
    if (shown == 0)
        fprintf(out, "    none\n");
}

struct ram_place {
    size_t node;
    int64_t key;
};

/* The most first; what is not known last; else by name. */
static int place_order(const void *left, const void *right)
{
    const struct ram_place *a = left, *b = right;
    if (a->key != b->key)
        return a->key > b->key ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static int64_t sort_key(const struct ram *ram, enum ram_sort sort, size_t node)
{
    struct ram_summary summary;
    if (sort == RAM_BY_NAME)
        return 0;
    ram_summarize(ram, node, sort == RAM_BY_RSS ? ram_column(ram, "rss") : RAM_HEAP_COLUMN,
                  &summary);
    bool const is_change = sort == RAM_BY_CHANGE && summary.points > 0;
    return is_change ? summary.last - summary.first : summary.last;
}

static void put_nodes(const struct ram_report *report, size_t columns,
                      const struct text_style *style, FILE *out)
{
    const struct ram *ram = report->ram;
    struct ram_place *places = calloc(ram->nodes.count, sizeof(*places));
    for (size_t i = 0; places && i < ram->nodes.count; i++)
        places[i] = (struct ram_place){i, sort_key(ram, report->sort, i)};
    if (places)
        qsort(places, ram->nodes.count, sizeof(*places), place_order);
    for (size_t i = 0; i < ram->nodes.count; i++)
        put_node(ram, places ? places[i].node : i, columns, style, out);
    free(places);
}

void ram_text_write(const struct ram_report *report, const struct text_style *style, FILE *out)
{
    const struct ram *ram = report->ram;
    size_t const columns = label_columns(ram);
    put_head(ram, style, out);
    text_ink(style, out, INK_DIM);
    fprintf(out, "%-*s %-*s %5s %11s %11s %11s %11s", (int)columns, "node", ROLE_COLUMNS, "role",
            "times", "heap first", "last", "most", "change");
    if (ram_column(ram, "rss") >= 0)
        fprintf(out, " %11s", "rss last");
    if (ram_column(ram, "inuse") >= 0)
        fprintf(out, " %11s", "inuse last");
    fputs("  verdict\n", out);
    text_ink(style, out, INK_PLAIN);
    put_nodes(report, columns, style, out);
    if (!report->growth || !report->growth->all.is_known || report->top == 0)
        return;
    put_functions(&report->growth->all, report, "all nodes together", style, out);
    for (size_t node = 0; report->by_node && node < ram->nodes.count; node++)
        if (report->growth->nodes[node].is_known)
            put_functions(&report->growth->nodes[node], report, ram_node_label(ram, node), style,
                          out);
}
