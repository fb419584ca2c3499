/* traffic_names.h - which metrics of a node are bytes sent and received, its pool, its height:
 * by its class, as the manifest says it, or as algod and etcd are known to have them. */
#pragma once

#include <stdbool.h>

#include "cluster/runs/run.h"
#include "formats/metrics/exposition.h"

enum traffic_way { TRAFFIC_NONE, TRAFFIC_SENT, TRAFFIC_RECEIVED };

struct traffic_role {
    enum traffic_way way;
    bool is_p2p;   /* the second kind of connections that algod has */
    bool is_total; /* counts in sums over all */
    bool is_part;  /* is one part of them, called `tag` */
    char tag[160]; /* "TX"; "etcd_network_peer 8e9e05c52164694d" */
};

/* What this series of this node is. */
void traffic_role_of(const struct run *run, uint32_t node, const struct exposition_series *series,
                     struct traffic_role *role);

/* Returns the names of others, or NULL. */
const char *traffic_pool(const struct run *run, uint32_t node);
const char *traffic_height(const struct run *run, uint32_t node);
const char *traffic_transactions(const struct run *run, uint32_t node);
/* Bytes of live objects in the heap: "inuse" of the class. */
const char *traffic_heap(const struct run *run, uint32_t node);
/* Returns whether its class knows the second kind. */
bool traffic_has_p2p(const struct run *run, uint32_t node);
