/* chain_points.h - the height of the chain, and its number of transactions, at each answer of each
 * node of a run.
 *
 * They are from the block header that was saved with the stamp of the answer: the header of the
 * node, or of another node, since all nodes have one chain.  If the run has no headers of the node
 * at all, they are from its metrics. */
#pragma once

#include "cluster/metrics/series.h"

enum chain_origin { CHAIN_UNKNOWN, CHAIN_OWN, CHAIN_BORROWED, CHAIN_METRICS };

struct chain_point { /* one per scrape of the set */
    enum chain_origin source;
    double height, transactions; /* NaN: not known */
};
typedef VEC(struct chain_point) chain_point_list;

/* Returns 0 or -ENOMEM.  *bad is the number of headers that could not be read. */
int chain_points_read(const struct series_set *set, chain_point_list *points, uint64_t *bad);

/* Parses "rnd" and "tc" in the JSON of a header, in "block" or at the top level; a missing one is
 * 0.  Returns 0 or -EINVAL. */
int chain_header_parse(struct slice text, uint64_t *height, uint64_t *transactions);
