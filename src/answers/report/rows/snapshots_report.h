/* snapshots_report.h - writes snapshots of a level over time, as massif and ms_print show them:
 * `memoir report --massif-like`. */
#pragma once

#include <stdio.h>

#include "analyze/trees/snapshot_tree.h"
#include "report/text/text_style.h"

struct snapshots_page {
    struct recording *recording;
    const struct snapshots *snapshots;
    double share; /* sites with a smaller share of the snapshot's total are added up */
    uint32_t depth;
    bool with_stacks;
};

/* Makes the tree of a detailed snapshot, with the limits of the page.  Returns 0 or -ENOMEM. */
int snapshots_page_tree(const struct snapshots_page *page, const struct snapshot *snapshot,
                        struct snapshot_tree *tree);

/* Writes a graph, then a table; the tree of a detailed snapshot is below its row.  Returns 0 or
 * -ENOMEM. */
int snapshots_text_write(const struct snapshots_page *page, const struct text_style *style,
                         FILE *out);
/* Writes only the graph, 72 x 20 characters: '#' is the peak, '@' a detailed snapshot, ':' another
 * one. */
void snapshots_chart_write(const struct snapshots_page *page, FILE *out);

/* Writes JSON, see docs/json.md.  Returns 0, -ENOMEM or -EIO. */
int snapshots_json_write(const struct snapshots_page *page, FILE *out);
/* Writes one row per snapshot:
 * snapshot,time_ns,total_bytes,useful_bytes,extra_bytes,stacks_bytes,blocks,most_bytes,tree. */
void snapshots_csv_write(const struct snapshots_page *page, FILE *out);

/* Returns "empty", "detailed" or "peak". */
const char *snapshots_tree_word(const struct snapshots *snapshots, size_t number);
