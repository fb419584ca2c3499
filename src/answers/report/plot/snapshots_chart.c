/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/human.h"
#include "report/rows/snapshots_report.h"

#define CHART_COLUMNS 72
#define CHART_ROWS    20

struct chart {
    int64_t values[CHART_COLUMNS]; /* -1: before the first snapshot */
    char marks[CHART_COLUMNS];
    int64_t top;
};

static char mark_of(const struct snapshots *snapshots, size_t number)
{
    if (number == snapshots->peak)
        return '#';
    return snapshots->items.items[number].is_detailed ? '@' : ':';
}

/* '#' before '@' before ':'. */
static bool is_stronger(char mark, char than)
{
    return than == '\0' || mark == '#' || (mark == '@' && than == ':');
}

static size_t column_of(const struct snapshots *snapshots, uint64_t time_ns)
{
    struct time_range const used = snapshots->used;
    if (used.to_ns <= used.from_ns)
        return CHART_COLUMNS - 1;
    double const part = (double)(time_ns - used.from_ns) / (double)(used.to_ns - used.from_ns);
    return (size_t)(part * (CHART_COLUMNS - 1) + 0.5);
}

/* The highest snapshot of a column stands for it; where there is none, what was before goes on. */
static void fill(struct chart *chart, const struct snapshots *snapshots)
{
    memset(chart->values, 0xff, sizeof(chart->values));
    for (size_t i = 0; i < snapshots->items.count; i++) {
        int64_t const total = snapshot_total(&snapshots->items.items[i]);
        size_t const column = column_of(snapshots, snapshots->items.items[i].time_ns);
        if (is_stronger(mark_of(snapshots, i), chart->marks[column]))
            chart->marks[column] = mark_of(snapshots, i);
        if (total > chart->values[column])
            chart->values[column] = total;
        chart->top = total > chart->top ? total : chart->top;
    }
    for (size_t i = 1; i < CHART_COLUMNS; i++) {
        if (chart->values[i] >= 0)
            continue;
        chart->values[i] = chart->values[i - 1];
        chart->marks[i] = '.';
    }
}

/* Only the outline of what goes on is drawn, so that the snapshots themselves stand out. */
static char cell(const struct chart *chart, size_t column, unsigned row)
{
    if (chart->values[column] <= 0)
        return ' ';
    double const height = (double)chart->values[column] / (double)chart->top * CHART_ROWS;
    unsigned const full = height > 1 ? (unsigned)(height + 0.5) : 1;
    if (row > full || (chart->marks[column] == '.' && row < full))
        return ' ';
    return chart->marks[column];
}

void snapshots_chart_write(const struct snapshots_page *page, FILE *out)
{
    struct chart chart = {.top = 0};
    char text[HUMAN_MAX];
    fill(&chart, page->snapshots);
    for (unsigned row = CHART_ROWS; row > 0; row--) {
        char line[CHART_COLUMNS + 1];
        size_t length = CHART_COLUMNS;
        for (size_t i = 0; i < CHART_COLUMNS; i++)
            line[i] = chart.top ? cell(&chart, i, row) : ' ';
        while (length > 0 && line[length - 1] == ' ')
            length--;
        fprintf(out, "%10s %c%.*s\n", row == CHART_ROWS ? human_bytes(chart.top, text) : "",
                row == CHART_ROWS ? '^' : '|', (int)length, line);
    }
    fprintf(out, "%10s +", "0");
    for (size_t i = 0; i < CHART_COLUMNS; i++)
        putc('-', out);
    fprintf(out, ">\n%11s%s", "", human_duration(page->snapshots->used.from_ns, text));
    size_t const taken = strlen(text);
    human_duration(page->snapshots->used.to_ns, text);
    fprintf(out, "%*s\n", (int)(CHART_COLUMNS + 2 - taken), text);
}
