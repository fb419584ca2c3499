/* block_report.h - writes the statistics of histories of blocks as text, CSV, JSON and a
 * picture. */
#pragma once

#include <stdio.h>

#include "cluster/blocks/block_stats.h"
#include "report/pictures/svg_out.h"
#include "report/text/text_style.h"

/* `lags` has one item per file, or is NULL. */
void block_text_write(FILE *out, const struct text_style *style, const struct block_stats *stats,
                      size_t count, const struct block_lag *lags, bool tps1);
/* Writes one row per block. */
void block_csv_write(FILE *out, const struct block_stats *stats, size_t count);
/* Returns 0 or -EIO. */
int block_json_write(FILE *out, const struct block_stats *stats, size_t count,
                     const struct block_lag *lags);
/* Writes the FILE.stats of the original tool: {"blocks":…,"tc":…,"mintxn":…,…}. */
int block_stats_write(FILE *out, const struct block_stats *stats);

/* Draws six charts in two rows of three: histograms and curves of block time, transactions per
 * block, and transactions per second, for the core.  Transactions per second are per block if
 * `tps1`, else over ten blocks. */
void block_charts_render(const struct block_stats *stats, bool tps1, struct svg_out *out);
