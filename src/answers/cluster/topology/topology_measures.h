/* topology_measures.h - numbers about a graph of nodes, as graph theory names them.
 *
 * Two nodes count as connected once, however often they were; a node is never connected to
 * itself. */
#pragma once

#include "cluster/topology/topology.h"

struct node_measures {
    uint32_t in, out;         /* distinct neighbours */
    double degree_centrality; /* (in + out) / (nodes - 1) */
    /* the share of shortest paths between others that lead through it, each split evenly at
     * every fork */
    double load_centrality;
};

struct topology_measures {
    struct node_measures *nodes; /* by node */
    uint64_t edges;              /* distinct */
    /* Of the graph without directions: */
    double transitivity;    /* of two neighbours of a node, how many are neighbours */
    double mean_clustering; /* the mean of the transitivity at each node */
    double mean_path;       /* between two nodes that reach each other; 0: no two do */
    uint64_t apart;         /* pairs that do not */
};

/* Returns 0 or -ENOMEM; fini is allowed after both.  O(nodes * edges). */
int topology_measure(const struct topology *topology, struct topology_measures *measures);
void topology_measures_fini(struct topology_measures *measures);
