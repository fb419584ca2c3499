/* ram_report.h - the memory of a cluster as text, CSV, JSON and a picture. */
#pragma once

#include <stdio.h>

#include "analyze/growth/growth.h"
#include "cluster/ram/ram.h"
#include "cluster/ram/ram_growers.h"
#include "report/pictures/svg_out.h"
#include "report/text/text_style.h"

/* A column of a node, over the stamps where it is known. */
struct ram_summary {
    size_t points;
    int64_t first, last, max; /* RAM_NONE without points */
    struct growth growth;
};
/* The summary of the snapshots number `from` up to, but without, `to`. */
void ram_summarize_between(const struct ram *ram, size_t node, size_t column, size_t from,
                           size_t to, struct ram_summary *summary);
/* `column` -1: there is none, and no points. */
void ram_summarize(const struct ram *ram, size_t node, int64_t column, struct ram_summary *summary);

enum ram_sort { RAM_BY_NAME, RAM_BY_HEAP, RAM_BY_CHANGE, RAM_BY_RSS };

struct ram_report {
    const struct ram *ram;
    const struct ram_growth *growth; /* NULL: not asked for */
    size_t top;                      /* functions shown */
    bool by_node;                    /* functions of each node too */
    enum ram_sort sort;              /* of the table: by name, or the most first */
};

void ram_text_write(const struct ram_report *report, const struct text_style *style, FILE *out);
/* when,dt,round, then NAME#column for each node and column; a row per stamp, the cell of what is
 * missing empty. */
void ram_csv_write(const struct ram *ram, FILE *out);
int ram_json_write(const struct ram_report *report, FILE *out);

/* A chart for each of the columns (or those named, separated by commas), a line for each node,
 * coloured by role.  Returns 0, -ENOMEM, or -EINVAL with a sentence. */
int ram_plot_render(const struct ram *ram, const char *columns, bool over_rounds,
                    struct svg_out *out, struct fault *fault);
