/* traffic_names.h - which metrics of a node are bytes sent and received, its pool, and its height.
 * The class in the manifest says so; otherwise the known names of algod and etcd are used. */
#pragma once

#include <stdbool.h>

#include "cluster/runs/run.h"
#include "formats/metrics/exposition.h"

enum traffic_way { TRAFFIC_NONE, TRAFFIC_SENT, TRAFFIC_RECEIVED };

struct traffic_role {
    enum traffic_way way;
    bool is_p2p;   /* traffic of the second kind of connections that algod has */
    bool is_total; /* the metric is part of the sum over all traffic */
    bool is_part;  /* the metric is one part of the traffic, with the name `tag` */
    char tag[160]; /* "TX"; "etcd_network_peer 8e9e05c52164694d" */
};

/* Finds the role of a series of a node. */
void traffic_role_of(const struct run *run, uint32_t node, const struct exposition_series *series,
                     struct traffic_role *role);

/* Return the names of other metrics of the node, or NULL. */
const char *traffic_pool(const struct run *run, uint32_t node);
const char *traffic_height(const struct run *run, uint32_t node);
const char *traffic_transactions(const struct run *run, uint32_t node);
/* Returns the metric for the bytes of live heap objects: "inuse" of the class. */
const char *traffic_heap(const struct run *run, uint32_t node);
/* Returns whether the class of the node has the second kind of connections. */
bool traffic_has_p2p(const struct run *run, uint32_t node);
