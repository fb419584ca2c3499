/* metrics_book.h - the metrics of a run in its run.db, for people with sqlite3 and for other
 * programs that use SQL.
 *
 * Tables: series(id, node, name, labels, type, cumulative), where labels is a JSON object;
 * chunk(series, points), where points is a JSON list of [file, value] with some hundred consecutive
 * answers.  Views unpack them: metric(time, node, role, name, labels, value) and metric_name(name,
 * type, series).  Reports do not use these tables: reading the files is as fast
 * (bench/README.md). */
#pragma once

#include "cluster/runs/run_book.h"

/* Adds metrics files that are not in run.db yet; *added is their number.  Returns 0 or -errno with
 * a sentence. */
int metrics_book_update(struct run_book *book, const struct run *run, uint64_t *added,
                        struct fault *fault);
