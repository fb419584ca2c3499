/* topology.h - which node is connected to which: nodes and directed edges, from logs or from a file
 * that memoir wrote.
 *
 * Only outgoing connections are edges: each is in the log of the node that made the connection. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fault.h"
#include "base/vec.h"
#include "cluster/runs/inventory.h"
#include "cluster/blocks/node_log.h"

#define TOPOLOGY_NODES_MAX 20000u
#define TOPOLOGY_EDGES_MAX (1u << 22)

enum topology_kind {
    TOPOLOGY_BY_LOGS, /* the kind that fits the logs */
    TOPOLOGY_P2P,     /* nodes have peer ids */
    TOPOLOGY_WS,      /* nodes have files and addresses */
    TOPOLOGY_WS_E2E,  /* one test log with a heading for each node */
};

struct topology_node {
    char *name;
    char *id; /* id of a peer, or an address; NULL: equal to the name */
};

struct topology_edge {
    uint32_t from, to;
    int64_t time_us; /* INT64_MIN: not known */
};

/* An edge between names or ids: a later line may say which nodes they are. */
struct topology_loose {
    char *from, *to; /* names or ids */
    int64_t time_us;
};

struct topology {
    enum topology_kind kind;
    VEC(struct topology_node) nodes; /* after topology_finish sorted by name, r2 before r10 */
    VEC(struct topology_edge) edges; /* after topology_finish sorted by from, to, time */
    VEC(struct topology_loose) loose;
    VEC(struct topology_node) aliases; /* other ids and addresses of nodes */
    size_t last_node;                  /* node whose lines are being read */
    const struct inventory *inventory; /* borrowed; may be NULL */
    uint64_t incoming;                 /* number of lines about connections that other nodes made */
    uint64_t dropped;                  /* number of edges with an unknown end */
};

void topology_init(struct topology *topology, enum topology_kind kind,
                   const struct inventory *inventory);
void topology_fini(struct topology *topology);
/* Adds an edge.  Its ends are names or ids, as in the source.  Returns 0 or -ENOMEM. */
int topology_add(struct topology *topology, const char *from, const char *to, int64_t time_us);
/* Callback for log_reading. */
int topology_handle(void *context, const char *node, const struct log_event *event);
/* Parses {"mapping":{id:name},"nodes":[…],"edges":[[from,to],…]}.  Returns 0 or -errno with a
 * sentence. */
int topology_read_json(struct topology *topology, struct slice text, struct fault *fault);
/* Finds the nodes of all edges, and sorts nodes and edges.  Returns 0 or -ENOMEM. */
int topology_finish(struct topology *topology);

/* Returns the index of the node with this name or id; -1: none. */
int64_t topology_find(const struct topology *topology, const char *text);
/* Returns the width of a column, `least` or more, in which different nodes look different. */
size_t topology_name_columns(const struct topology *topology, size_t least);
/* Renders the short name for a name in a log: "R1" for "relay1", "NPN2" for
 * "nonParticipatingNode2", "N3" for "node3".  `out` has 256 bytes. */
const char *topology_short_name(const char *name, char *out);

/* Writes JSON that topology_read_json can read.  With `times`, an edge has {"dt": seconds} as its
 * third member. */
int topology_json_write(const struct topology *topology, bool times, FILE *out);
/* Writes "HH:MM:SS.ffffff from -> to", sorted by time. */
int topology_times_write(const struct topology *topology, FILE *out);
