/* chain_points.h - how high the chain was, and how many transactions it had, at each answer of
 * each node of a run.
 *
 * From the block header that was saved with that stamp: the node's own, else another node's,
 * since the chain is one; else, if the run has no headers for this node at all, from its
 * metrics. */
#pragma once

#include "cluster/metrics/series.h"

enum chain_origin { CHAIN_UNKNOWN, CHAIN_OWN, CHAIN_BORROWED, CHAIN_METRICS };

struct chain_point { /* by scrape of the set */
    enum chain_origin source;
    double height, transactions; /* NaN: not told */
};
typedef VEC(struct chain_point) chain_point_list;

/* Returns 0 or -ENOMEM.  `bad` counts headers that could not be read. */
int chain_points_read(const struct series_set *set, chain_point_list *points, uint64_t *bad);

/* Of the JSON of a header: "rnd" and "tc", of "block" or at its top; what is left out is 0.
 * Returns 0 or -EINVAL. */
int chain_header_parse(struct slice text, uint64_t *height, uint64_t *transactions);
