/* snapshots_report.h - snapshots of a level over time, as massif and ms_print show them: `memoir
 * report --massif-like`. */
#pragma once

#include <stdio.h>

#include "analyze/trees/snapshot_tree.h"
#include "report/text/text_style.h"

struct snapshots_page {
    struct recording *recording;
    const struct snapshots *snapshots;
    double share; /* of a snapshot's total: sites below are added up */
    uint32_t depth;
    bool with_stacks;
};

/* The tree of a detailed snapshot by the page's limits.  Returns 0 or -ENOMEM. */
int snapshots_page_tree(const struct snapshots_page *page, const struct snapshot *snapshot,
                        struct snapshot_tree *tree);

/* A graph, then a table with the tree of each detailed snapshot under its row.  Returns 0 or
 * -ENOMEM. */
int snapshots_text_write(const struct snapshots_page *page, const struct text_style *style,
                         FILE *out);
/* The graph alone: 72 x 20, '#' the peak, '@' detailed, ':' others. */
void snapshots_chart_write(const struct snapshots_page *page, FILE *out);

/* docs/json.md has the fields.  Returns 0, -ENOMEM or -EIO. */
int snapshots_json_write(const struct snapshots_page *page, FILE *out);
/* snapshot,time_ns,total_bytes,useful_bytes,extra_bytes,stacks_bytes,blocks,most_bytes,tree: a
 * row per snapshot. */
void snapshots_csv_write(const struct snapshots_page *page, FILE *out);

/* "empty", "detailed" or "peak". */
const char *snapshots_tree_word(const struct snapshots *snapshots, size_t number);
