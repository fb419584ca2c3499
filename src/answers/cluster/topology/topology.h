/* topology.h - which node is connected to which: nodes and directed edges, from logs or from a file
 * that was written before.
 *
 * Only outgoing connections make edges: each is in the log of the node that made it. */
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
    TOPOLOGY_BY_LOGS, /* whichever of these fits */
    TOPOLOGY_P2P,     /* nodes have peer ids */
    TOPOLOGY_WS,      /* nodes have files and addresses */
    TOPOLOGY_WS_E2E,  /* one test log with a heading for each node */
};

struct topology_node {
    char *name;
    char *id; /* of a peer, or an address; NULL: as its name */
};

struct topology_edge {
    uint32_t from, to;
    int64_t time_us; /* INT64_MIN: not told */
};

/* An end that may get its node later, when the line that says whose it is has come. */
struct topology_loose {
    char *from, *to; /* names or ids */
    int64_t time_us;
};

struct topology {
    enum topology_kind kind;
    VEC(struct topology_node) nodes; /* after finish: by name, r2 before r10 */
    VEC(struct topology_edge) edges; /* after finish: by from, to, time */
    VEC(struct topology_loose) loose;
    VEC(struct topology_node) aliases; /* other ids and addresses of nodes */
    size_t last_node;                  /* whose lines are being read */
    const struct inventory *inventory; /* may be NULL; stays the caller's */
    uint64_t incoming;                 /* lines about connections that others made */
    uint64_t dropped;                  /* edges with an end that is no known node */
};

void topology_init(struct topology *topology, enum topology_kind kind,
                   const struct inventory *inventory);
void topology_fini(struct topology *topology);
/* Adds an edge whose ends are names or ids as the source has them.  Returns 0 or -ENOMEM. */
int topology_add(struct topology *topology, const char *from, const char *to, int64_t time_us);
/* For log_reading. */
int topology_handle(void *context, const char *node, const struct log_event *event);
/* {"mapping":{id:name},"nodes":[…],"edges":[[from,to],…]}: 0 or -errno with a sentence. */
int topology_read_json(struct topology *topology, struct slice text, struct fault *fault);
/* Finds the ends of all edges and puts everything in order.  Returns 0 or -ENOMEM. */
int topology_finish(struct topology *topology);

/* Returns the node of this name or id; -1. */
int64_t topology_find(const struct topology *topology, const char *text);
/* Returns how wide a column must be that shows its nodes apart, `least` or more. */
size_t topology_name_columns(const struct topology *topology, size_t least);
/* "relay1" of a log's name as people call it, "R1"; "nonParticipatingNode2" as "NPN2"; "node3"
 * as "N3".  `out` has 256 bytes. */
const char *topology_short_name(const char *name, char *out);

/* The JSON that topology reads; with `times` an edge has {"dt": seconds} as its third member. */
int topology_json_write(const struct topology *topology, bool times, FILE *out);
/* "HH:MM:SS.ffffff from -> to", in order of time. */
int topology_times_write(const struct topology *topology, FILE *out);
