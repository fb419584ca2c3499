/* metrics_book.h - the metrics of a run in its run.db, for people with sqlite3 and other programs
 * speaks SQL.
 *
 * Tables: series(id, node, name, labels, type, cumulative) with labels as a JSON object, and
 * chunk(series, points): points is a JSON list of [file, value], some hundred answers in a row.
 * The views unpack them: metric(time, node, role, name, labels, value), and metric_name(name,
 * type, series). Reports do not read it: reading the files is as fast (bench/README.md). */
#pragma once

#include "cluster/runs/run_book.h"

/* Enters the metrics files that are not in the book yet; `added` says how many.  Returns 0 or
 * -errno with a sentence. */
int metrics_book_update(struct run_book *book, const struct run *run, uint64_t *added,
                        struct fault *fault);
