/* ram.h - the memory of each node of a run over time: exact bytes of heap profiles, together with
 * what the kernel measures (RSS, VSZ, PSS) and what the runtime counts.  One row per stamp; all
 * nodes have one set of columns.
 *
 * A missing value is RAM_NONE, never 0. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/pattern/pattern.h"
#include "cluster/runs/run.h"

#define RAM_NONE        INT64_MIN
#define RAM_HEAP_COLUMN 0u /* the first: "pprof_inuse_space" */

struct ram {
    const struct run *run;
    VEC(uint32_t) nodes; /* the selected nodes: indices of the run's nodes, sorted by name */
    VEC(int64_t) stamps; /* ascending */
    VEC(char *)
    /* "pprof_inuse_space", "inuse", "total", "free", "released", …, "rss", "vsz", "pss", "swap";
     * all in bytes */
    columns;
    int64_t *values;     /* see ram_value */
    int64_t *rounds;     /* see ram_round */
    bool *restarts;      /* see ram_is_restart */
    uint64_t read, kept; /* heap profiles read now, and found in run.db */
    uint64_t unread;     /* heap profiles that could not be read */
    struct fault unread_fault;
    uint64_t odd_lines;  /* in NICK.heap.csv */
    uint64_t odd_blocks; /* blockinfo files without a height */
};

/* Reads the memory of nodes whose name or nick matches (`nodes` NULL: all).  Returns 0; or -errno
 * with a sentence, also if there is no such node or nothing to show. */
int ram_read(struct ram *ram, const struct run *run, const struct pattern *nodes,
             struct fault *fault);
void ram_fini(struct ram *ram);

/* In these functions, `node` is an index into ram->nodes. */
int64_t ram_value(const struct ram *ram, size_t node, size_t column, size_t stamp);
/* Returns the height of a node; RAM_NONE: not known. */
int64_t ram_round(const struct ram *ram, size_t node, size_t stamp);
/* Returns whether the process of the node is another one than in the row before, by its PID or by
 * what it reports about itself. */
bool ram_is_restart(const struct ram *ram, size_t node, size_t stamp);
/* Returns the largest height of all nodes. */
int64_t ram_round_of_all(const struct ram *ram, size_t stamp);
/* Returns the index of the column with this name; -1: none. */
int64_t ram_column(const struct ram *ram, const char *name);
/* Returns the name of a node for columns: its name, or its nick if another node has the same
 * name. */
const char *ram_node_label(const struct ram *ram, size_t node);
const struct run_node *ram_node(const struct ram *ram, size_t node);
