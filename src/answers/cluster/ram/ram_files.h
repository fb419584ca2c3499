/* ram_files.h - parses small files of a run with the size and height of a node: lines of
 * NICK.heap.csv, and blockinfo. */
#pragma once

#include <stdint.h>

#include "base/slice.h"

struct size_line {
    int64_t stamp_us;
    int64_t rss_bytes, vsz_bytes, pss_bytes, swap_bytes; /* INT64_MIN: not told */
    int64_t pid;                                         /* INT64_MIN: not told */
};

/* Parses "stamp,date,rss_kib,vsz_kib[,pid,pss_kib,swap_kib,…]", which scrape/local/local_sample.h
 * writes.  Returns 0 or -EINVAL. */
int size_line_parse(struct slice line, struct size_line *out);

/* Returns the height in a blockinfo: block.rnd; or rnd, round, height or number, in the block or at
 * the top level, as a number or as hexadecimal text.  INT64_MIN: there is none. */
int64_t blockinfo_height(struct slice text);
