/* ram_report.h - writes the memory of a cluster as text, CSV, JSON and a picture. */
#pragma once

#include <stdio.h>

#include "analyze/growth/growth.h"
#include "cluster/ram/ram.h"
#include "cluster/ram/ram_growers.h"
#include "report/pictures/svg_out.h"
#include "report/text/text_style.h"

/* Summary of a column of a node, over the stamps with a known value. */
struct ram_summary {
    size_t points;
    int64_t first, last, max; /* RAM_NONE without points */
    struct growth growth;
};
/* Summarises the snapshots from number `from` up to, but not including, `to`. */
void ram_summarize_between(const struct ram *ram, size_t node, size_t column, size_t from,
                           size_t to, struct ram_summary *summary);
/* `column` -1: there is no such column, so there are no points. */
void ram_summarize(const struct ram *ram, size_t node, int64_t column, struct ram_summary *summary);

enum ram_sort { RAM_BY_NAME, RAM_BY_HEAP, RAM_BY_CHANGE, RAM_BY_RSS };

struct ram_report {
    const struct ram *ram;
    const struct ram_growth *growth; /* NULL: not asked for */
    size_t top;                      /* number of functions shown */
    bool by_node;                    /* also show functions of each node */
    enum ram_sort sort;              /* order of the table: by name, or largest first */
};

void ram_text_write(const struct ram_report *report, const struct text_style *style, FILE *out);
/* Writes when,dt,round, then NAME#column for each node and column; one row per stamp, and empty
 * cells for missing values. */
void ram_csv_write(const struct ram *ram, FILE *out);
int ram_json_write(const struct ram_report *report, FILE *out);

/* Draws one chart per column (or per name in the comma-separated `columns`), with one line per
 * node, coloured by role.  Returns 0, -ENOMEM, or -EINVAL with a sentence. */
int ram_plot_render(const struct ram *ram, const char *columns, bool over_rounds,
                    struct svg_out *out, struct fault *fault);
