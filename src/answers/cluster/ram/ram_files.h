/* ram_files.h - small files of a run that say how large a node is and how far: lines of
 * NICK.heap.csv, and blockinfo. */
#pragma once

#include <stdint.h>

#include "base/slice.h"

struct size_line {
    int64_t stamp_us;
    int64_t rss_bytes, vsz_bytes, pss_bytes, swap_bytes; /* INT64_MIN: not told */
    int64_t pid;                                         /* INT64_MIN: not told */
};

/* "stamp,date,rss_kib,vsz_kib[,pid,pss_kib,swap_kib,…]", as scrape/local/local_sample.h writes
 * them.  Returns 0 or -EINVAL. */
int size_line_parse(struct slice line, struct size_line *out);

/* Returns the height in blockinfo: block.rnd, or rnd, round, height or number of the block or of
 * the whole, as a number or as hexadecimal text.  INT64_MIN: there is none. */
int64_t blockinfo_height(struct slice text);
