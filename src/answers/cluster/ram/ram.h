/* ram.h - memory of each node of a run over time: exact bytes of heap profiles beside what the
 * kernel says (RSS, VSZ, PSS) and what the runtime counts itself, a row per stamp and a set of
 * columns that all nodes share.
 *
 * What is missing is missing: RAM_NONE, never 0. */
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
    VEC(uint32_t) nodes; /* those asked for: indexes of the run's, by name */
    VEC(int64_t) stamps; /* ascending */
    VEC(char *)
    /* "pprof_inuse_space", "inuse", "total", "free", "released", …, "rss", "vsz", "pss", "swap":
     * all bytes */
    columns;
    int64_t *values;     /* see ram_value */
    int64_t *rounds;     /* see ram_round */
    bool *restarts;      /* see ram_is_restart */
    uint64_t read, kept; /* heap profiles */
    uint64_t unread;     /* that could not be read */
    struct fault unread_fault;
    uint64_t odd_lines;  /* of NICK.heap.csv */
    uint64_t odd_blocks; /* blockinfo without a height */
};

/* `nodes` NULL: all; else those whose name or nick matches.  Returns 0 or -errno with a sentence:
 * no node, nothing to show. */
int ram_read(struct ram *ram, const struct run *run, const struct pattern *nodes,
             struct fault *fault);
void ram_fini(struct ram *ram);

/* `node` counts those asked for. */
int64_t ram_value(const struct ram *ram, size_t node, size_t column, size_t stamp);
/* Returns the height a node was at; RAM_NONE. */
int64_t ram_round(const struct ram *ram, size_t node, size_t stamp);
/* Returns whether the node's process is another than in the row before, by its number or by what it
 * says of itself. */
bool ram_is_restart(const struct ram *ram, size_t node, size_t stamp);
/* Returns the highest of all nodes. */
int64_t ram_round_of_all(const struct ram *ram, size_t stamp);
/* Returns the column of a name; -1. */
int64_t ram_column(const struct ram *ram, const char *name);
/* As columns are called: its name, or its nick if another node has that name. */
const char *ram_node_label(const struct ram *ram, size_t node);
const struct run_node *ram_node(const struct ram *ram, size_t node);
