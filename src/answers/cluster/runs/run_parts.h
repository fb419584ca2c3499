/* run_parts.h - how run.c comes by what a run's own files say.  For run*.c, tests and fuzz
 * targets. */
#pragma once

#include "base/slice.h"
#include "cluster/runs/run.h"

/* What the folder's list of files is made of, before nodes have numbers: the nick is the
 * beginning of the name. */
struct run_found {
    char *name;
    uint32_t nick_size;
    enum run_kind kind;
    int64_t stamp_us;
};

/* Returns the bytes of a nick that has a `<nick>.heap.csv` of this name; 0: it is none. */
size_t run_csv_nick(const char *name);
/* Whether memoir or the original scripts leave a file of this name beside the captures. */
int run_name_is_known(const char *name);

/* Nodes and classes of manifest.json; nodes that are there already get what it says about them.
 * What is no manifest changes nothing more from where it stops making sense.  Returns 0, -ENOMEM,
 * or -EINVAL when something was not read. */
int run_parse_manifest(struct run *run, struct slice text);
/* Times and sizes of files, gaps of nodes, of whole lines of fetches.jsonl.  The nodes and files
 * have their order already; lines that make no sense are passed over.  Returns how many were of
 * this run. */
size_t run_parse_fetches(struct run *run, struct slice text);

/* Gaps of nodes where no fetches.jsonl tells them: ticks without a heap profile, or without
 * metrics, of nodes that have some.  Returns 0 or -ENOMEM. */
int run_count_gaps(struct run *run);

/* Returns the node of this nick; -1: none.  `size` bytes. */
int64_t run_node_find(const struct run *run, const char *nick, size_t size);
/* One more, with name, role and class NULL: NULL when out of memory or when there are
 * RUN_NODES_MAX. */
#define RUN_NODES_MAX 65536u
struct run_node *run_node_add(struct run *run, const char *nick, size_t size);
/* Names, roles and classes where nothing said them yet, by the inventory if there is one (else
 * NULL). */
struct inventory;
int run_name_nodes(struct run *run, const struct inventory *inventory);
/* Puts the nodes in order of name; their numbers change, and those of files do not follow. */
void run_sort_nodes(struct run *run);
/* A copy of the text in place of *text; returns 0 or -ENOMEM. */
int run_text_set(char **text, const char *value);
