/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/human.h"
#include "cli/history/history_command.h"
#include "model/memory/memory_level.h"
#include "report/text/growth_text.h"

#define NAME_COLUMNS 36

static const char *date_of(uint64_t ms, char text[32])
{
    time_t const seconds = (time_t)(ms / 1000);
    struct tm date;
    if (!gmtime_r(&seconds, &date) || !strftime(text, 32, "%Y-%m-%d %H:%M UTC", &date))
        text[0] = '\0';
    return text;
}

static void put_head(const struct history_service *service, const struct text_style *style,
                     FILE *out)
{
    const struct history_run *last = &service->runs.items[service->runs.count - 1];
    struct text_line line = {0};
    char begin[32], end[32];
    uint64_t snapshots = 0;
    vec_each (run, &service->runs)
        snapshots += run->snapshots;
    line_add_name(&line, service->name);
    line_add(&line, " on ");
    line_add_name(&line, service->host);
    line_add(&line, ": ");
    line_add_counted(&line, (int64_t)service->runs.count, "run");
    line_add(&line, ", ");
    line_add_counted(&line, (int64_t)snapshots, "snapshot");
    line_add(&line, "; the last run is pid %u since %s, seen until %s", last->pid,
             date_of(last->begin_ms, begin), date_of(last->last_ms, end));
    text_ink(style, out, INK_STRONG);
    text_write(out, line.text, text_room(style, 0));
    text_ink(style, out, INK_PLAIN);
    putc('\n', out);
}

static const char *unit_of(const struct history_series *series)
{
    enum memory_level const level = memory_level_find(series->name, strlen(series->name));
    return series->kind != HISTORY_SITE && level == LEVEL_BLOCKS ? "blocks" : "bytes";
}

/* "grows by 1.2 MiB/h", "steady", ... */
static void add_verdict(struct text_line *line, const struct history_trend *trend)
{
    if (trend->growth.verdict != GROWTH_GROWING) {
        line_add(line, "%s",
                 trend->growth.verdict == GROWTH_UNKNOWN
                     ? "-"
                     : growth_verdict_name(trend->growth.verdict));
        return;
    }
    char value[HUMAN_MAX];
    line_add(line, "grows by ");
    if (strcmp(unit_of(trend->series), "bytes") == 0)
        growth_rate_render(&trend->growth, trend->growth.slope, line);
    else
        line_add(line, "%s/h", human_count((int64_t)(trend->growth.slope * 3600), value));
}

static void put_row(const struct history_trend *trend, const struct text_style *style, FILE *out)
{
    char now[HUMAN_MAX], low[HUMAN_MAX], high[HUMAN_MAX];
    const char *unit = unit_of(trend->series);
    struct text_line verdict = {0};
    add_verdict(&verdict, trend);
    fputs("    ", out);
    size_t const used = text_write(out, trend->series->name, NAME_COLUMNS);
    bool const bad = trend->growth.verdict == GROWTH_GROWING;
    fprintf(out, "%*s %12s %12s %12s  ", (int)(NAME_COLUMNS - used), "",
            trend->is_gone ? "-" : human_value(trend->now, unit, now),
            human_value(trend->low, unit, low), human_value(trend->high, unit, high));
    text_ink(style, out, bad ? INK_WARN : INK_PLAIN);
    fprintf(out, "%s\n", verdict.text);
    text_ink(style, out, INK_PLAIN);
}

/* The others say the same once more; the table has them. */
static bool deserves_sentence(const struct history_series *series)
{
    return series->kind == HISTORY_TOTAL &&
           (strcmp(series->name, memory_level_name(LEVEL_RSS)) == 0 ||
            strcmp(series->name, memory_level_name(LEVEL_HEAP)) == 0);
}

static void put_sentences(const struct history_trends *trends, const struct text_style *style,
                          FILE *out)
{
    vec_each (trend, &trends->rows) {
        struct text_line line = {0};
        if (trend->growth.verdict != GROWTH_GROWING || !deserves_sentence(trend->series))
            continue;
        line_add_name(&line, trend->series->name);
        line_add(&line, " ");
        growth_render(&trend->growth, trends->limit_bytes, &line);
        text_ink(style, out, INK_WARN);
        text_paragraph(style, out, "growth", line.text);
        text_ink(style, out, INK_PLAIN);
    }
}

static void put_service(const struct history_question *question,
                        const struct history_service *service, const struct history_trends *trends,
                        const struct text_style *style, FILE *out)
{
    static const char *const titles[] = {"", "totals", "categories", "call sites, live heap"};
    int kind = 0;
    uint64_t sites = 0;
    put_head(service, style, out);
    put_sentences(trends, style, out);
    vec_each (trend, &trends->rows) {
        if ((int)trend->series->kind != kind) {
            kind = (int)trend->series->kind;
            fprintf(out, "  %-*s %12s %12s %12s  verdict\n", NAME_COLUMNS + 2,
                    kind >= HISTORY_TOTAL && kind <= HISTORY_SITE ? titles[kind] : "others", "now",
                    "least", "most");
        }
        if (kind == HISTORY_SITE && sites++ >= question->top)
            continue;
        put_row(trend, style, out);
    }
    if (sites > question->top)
        fprintf(out, "    … and %llu more; --top shows them\n",
                (unsigned long long)(sites - question->top));
}

int history_table_write(const struct history_question *question,
                        const struct history_content *content, const struct text_style *style,
                        FILE *out)
{
    bool is_first = true;
    vec_each (service, &content->services) {
        struct history_trends trends;
        int const err = history_trends_make(question, service, &trends);
        if (!err && trends.rows.count > 0) {
            if (!is_first)
                putc('\n', out);
            is_first = false;
            put_service(question, service, &trends, style, out);
        }
        history_trends_fini(&trends);
        if (err)
            return err;
    }
    return 0;
}
