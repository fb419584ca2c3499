/* block_report.h - the statistics of histories of blocks as text, CSV, JSON and a picture. */
#pragma once

#include <stdio.h>

#include "cluster/blocks/block_stats.h"
#include "report/pictures/svg_out.h"
#include "report/text/text_style.h"

/* `lags` has one per file, or is NULL. */
void block_text_write(FILE *out, const struct text_style *style, const struct block_stats *stats,
                      size_t count, const struct block_lag *lags, bool tps1);
/* One row per block. */
void block_csv_write(FILE *out, const struct block_stats *stats, size_t count);
/* Returns 0 or -EIO. */
int block_json_write(FILE *out, const struct block_stats *stats, size_t count,
                     const struct block_lag *lags);
/* The original's FILE.stats: {"blocks":…,"tc":…,"mintxn":…,…}. */
int block_stats_write(FILE *out, const struct block_stats *stats);

/* Six charts, two rows of three: histograms and series of block time, transactions per block and
 * transactions per second of the core; the last one per block (`tps1`), else over ten blocks. */
void block_charts_render(const struct block_stats *stats, bool tps1, struct svg_out *out);
