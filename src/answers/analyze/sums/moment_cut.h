/* moment_cut.h - inside `analyze`: stretches of time that begin or end inside a bucket.
 *
 * Cells are sums of a whole bucket, so for most metrics a range is extended to bucket boundaries.
 * Moments have their exact time: a bucket at the edge of the range is cut there if it has
 * moments. */
#pragma once

#include "analyze/sums/weigh.h"

/* The column whose moments make up this metric (cpu.on, cpu.off, or a metric that the recorded file
 * defines itself); COL_NONE for other metrics. */
enum column metric_moments(const struct metric *metric);

/* True when only a part of the bucket is in `range` and the bucket can be cut: every moment of
 * `column` in the bucket has its time, and the bucket has no other data of that column. */
bool moment_cuts(const struct bucket *bucket, enum column column, struct time_range range);

/* True when the moment is of this column, has its time, and lies inside `range`. */
bool moment_is_in(const struct bucket *bucket, const struct moment *moment, enum column column,
                  struct time_range range);

/* Which ends of the asked range were kept exactly.  Initialise with zeroes; call moment_edges_note
 * for every bucket that was cut. */
struct moment_edges {
    bool from, to;
};
void moment_edges_note(struct moment_edges *edges, const struct bucket *bucket,
                       struct time_range asked);
/* The range that was really used: the ends that were kept exactly are those of `asked`, the others
 * those of `snapped`. */
struct time_range moment_edges_used(const struct moment_edges *edges, struct time_range asked,
                                    struct time_range snapped);
