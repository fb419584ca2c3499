/* run_parts.h - inside run.c: reads what the files of a run say about the run.  For run*.c, tests
 * and fuzz targets. */
#pragma once

#include "base/slice.h"
#include "cluster/runs/run.h"

/* A file of the folder, before nodes have numbers.  The nick is the beginning of the name. */
struct run_found {
    char *name;
    uint32_t nick_size;
    enum run_kind kind;
    int64_t stamp_us;
};

/* Returns the size of the nick if this is the name of a `<nick>.heap.csv`; else 0. */
size_t run_csv_nick(const char *name);
/* Returns whether memoir or the original scripts write a file with this name beside the
 * captures. */
int run_name_is_known(const char *name);

/* Parses nodes and classes of manifest.json; nodes that exist already are updated.  Parsing ends
 * where the text is no valid manifest, and what was read before is kept.  Returns 0; -ENOMEM; or
 * -EINVAL if something was not read. */
int run_parse_manifest(struct run *run, struct slice text);
/* Parses the complete lines of fetches.jsonl: sets times and sizes of files, and gaps of nodes.
 * Nodes and files must be sorted already.  Lines that are not understood are skipped.  Returns how
 * many lines were about this run. */
size_t run_parse_fetches(struct run *run, struct slice text);

/* Counts the gaps of nodes if there is no fetches.jsonl: ticks without a heap profile, or without
 * metrics, for nodes that have any.  Returns 0 or -ENOMEM. */
int run_count_gaps(struct run *run);

/* Returns the index of the node with this nick, which has `size` bytes; -1: none. */
int64_t run_node_find(const struct run *run, const char *nick, size_t size);
/* Adds a node, with name, role and class NULL.  Returns NULL when out of memory or if there are
 * RUN_NODES_MAX. */
#define RUN_NODES_MAX 65536u
struct run_node *run_node_add(struct run *run, const char *nick, size_t size);
/* Sets the names, roles and classes that are still missing, from the inventory if there is one
 * (else NULL). */
struct inventory;
int run_name_nodes(struct run *run, const struct inventory *inventory);
/* Sorts the nodes by name.  Their indices change, and the caller must update those in files. */
void run_sort_nodes(struct run *run);
/* Replaces *text by a copy of `value`.  Returns 0 or -ENOMEM. */
int run_text_set(char **text, const char *value);
