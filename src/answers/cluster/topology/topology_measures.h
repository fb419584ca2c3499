/* topology_measures.h - numbers about a graph of nodes, with the names of graph theory.
 *
 * Several connections between two nodes count as one, and a node is never connected to itself. */
#pragma once

#include "cluster/topology/topology.h"

struct node_measures {
    uint32_t in, out;         /* number of distinct neighbours */
    double degree_centrality; /* (in + out) / (nodes - 1) */
    /* share of the shortest paths between other nodes that lead through this one; at each fork, a
     * path is split evenly */
    double load_centrality;
};

struct topology_measures {
    struct node_measures *nodes; /* by node */
    uint64_t edges;              /* number of distinct edges */
    /* For the graph without directions: */
    double transitivity; /* share of pairs of neighbours of a node that are neighbours themselves */
    double mean_clustering; /* mean of the transitivity at each node */
    double mean_path;       /* mean distance of nodes that reach each other; 0: no two do */
    uint64_t apart;         /* number of pairs that do not reach each other */
};

/* Returns 0 or -ENOMEM; topology_measures_fini is allowed after both.  Takes O(nodes * edges). */
int topology_measure(const struct topology *topology, struct topology_measures *measures);
void topology_measures_fini(struct topology_measures *measures);
