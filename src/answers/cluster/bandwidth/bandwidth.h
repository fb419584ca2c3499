/* bandwidth.h - bytes per second sent and received by the nodes of a run, transactions per second,
 * time per block, and how full the transaction pool was.
 *
 * Unknown values are NaN and are not part of means; a missing value is never taken as 0. */
#pragma once

#include "cluster/blocks/chain_points.h"
#include "cluster/runs/node_groups.h"
#include "cluster/metrics/series.h"

/* The time between two answers of one node. */
struct bandwidth_interval {
    int64_t end_us;
    double seconds;
    double sent, received, p2p_sent, p2p_received; /* bytes per second */
    double tps, block_seconds;
    bool is_counted; /* part of sums and means: the TPS is not below the minimum of the question */
    bool is_restart; /* the node restarted, or a counter was reset */
};
struct bandwidth_tag {
    char *name;
    bool is_p2p;
    double sent_bytes, received_bytes; /* over the counted intervals */
};
struct bandwidth_node {
    bool has_metrics;
    VEC(struct bandwidth_interval) intervals;
    VEC(struct bandwidth_tag) tags; /* sorted by kind and name */
    struct bandwidth_tag totals[2]; /* ws, p2p */
    double counted_seconds;
    double tps, block_seconds; /* over the whole run */
    enum chain_origin chain;
    double pool_min, pool_mean, pool_max;
    double verify_ms;
    uint32_t restarts;
};
struct bandwidth {
    const struct run *run;
    struct series_set set;
    chain_point_list chain;
    VEC(struct bandwidth_node) nodes; /* in the order of the run's nodes */
    uint64_t bad_headers;
};

struct bandwidth_question {
    double least_tps;  /* 0: all intervals are counted */
    bool all_counters; /* read all series, for bandwidth_deltas_write */
};

/* Returns 0 or -errno with a sentence. */
int bandwidth_read(struct bandwidth *bandwidth, const struct run *run,
                   const struct bandwidth_question *question, struct fault *fault);
void bandwidth_fini(struct bandwidth *bandwidth);

/* Values of a group, in which every node has equal weight. */
struct bandwidth_sum {
    double tps, block_seconds;
    uint32_t nodes, without_chain, by_metrics;
    double sent, received, p2p_sent, p2p_received;
    double pool[5]; /* minimum, smallest mean, mean of means, largest mean, maximum */
    double verify_min, verify_mean, verify_max;
    VEC(struct bandwidth_tag)
    tags; /* bytes per second and node, largest received first; names are owned by the nodes */
    struct bandwidth_tag totals[2];
    bool has_p2p;
};
int bandwidth_sum_make(const struct bandwidth *bandwidth, const struct node_group *group,
                       struct bandwidth_sum *sum); /* Returns 0 or -ENOMEM. */
void bandwidth_sum_fini(struct bandwidth_sum *sum);
