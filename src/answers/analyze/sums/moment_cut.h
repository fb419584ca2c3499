/* moment_cut.h - inside `analyze`: stretches of time that begin or end inside a bucket.
 *
 * Cells are sums of a whole bucket, so most metrics snap to its borders.  Moments have their instant: where a bucket
 * at the edge has them, it is cut there. */
#pragma once

#include "analyze/sums/weigh.h"

/* The column of the moments that tell of this metric (cpu.on, cpu.off, or one of a file's own); COL_NONE for others. */
enum column metric_moments(const struct metric *metric);

/* Whether `range` takes a part of the bucket only, and the bucket can be divided: every moment of `column` in it has
 * its time, and moments are all it has of that column. */
bool moment_cuts(const struct bucket *bucket, enum column column, struct time_range range);

/* Whether the moment counts: of this column, and inside of `range`. */
bool moment_is_in(const struct bucket *bucket, const struct moment *moment, enum column column,
                  struct time_range range);

/* Which ends of the asked range were kept exactly.  Zeroed to begin; told of every bucket that was cut. */
struct moment_edges {
    bool from, to;
};
void moment_edges_note(struct moment_edges *edges, const struct bucket *bucket,
                       struct time_range asked);
/* The range that was used: `snapped`, but for those ends. */
struct time_range moment_edges_used(const struct moment_edges *edges, struct time_range asked,
                                    struct time_range snapped);
