/* run_pictures.h - pictures of every heap profile of a run, beside it: what each holds, and what
 * changed since the node's last good one.
 *
 *     NAME.heap.inuse.svg  .alloc.svg  .inuse_diff.svg  .alloc_diff.svg     call graphs
 *                                                                           (memoir-graph)
 *     NAME.heap.inuse.flame.svg  .inuse_diff.flame.svg                      flame graphs
 *
 * What is there already stays as it is. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/pattern/pattern.h"
#include "cluster/runs/run.h"

struct run_pictures {
    uint64_t made, there, failed;
    struct fault first_fault; /* why the first picture failed */
    bool has_no_graphs;       /* memoir-graph is missing: only flame graphs were made */
};

/* Makes the pictures that are missing.  `nodes` NULL: for all nodes; otherwise for nodes whose name
 * or nick matches.  `progress`: prints a line that counts, on standard error.  Returns 0 or -errno
 * with a sentence. */
int run_pictures_make(const struct run *run, const struct pattern *nodes, bool progress,
                      struct run_pictures *result, struct fault *fault);
/* Prints one sentence about the result on standard error, for `command`. */
void run_pictures_tell(const struct run_pictures *result, const char *command);
/* Opens the run at `path`, makes the pictures and prints the result; if `is_quiet`, only a failure.
 * Returns an exit status: 0, or 1 after a sentence. */
int run_pictures_of(const char *path, const char *command, bool is_quiet);
