/* run.h - a run, the folder that watching a cluster leaves: its files, by node and time.
 *
 * Ours, and those of the original scripts: <nick>.<stamp>.<kind>, where a stamp is
 * YYYYMMDD_HHMMSS with an optional fraction, in UTC, and a nick may have colons and dots. Names
 * and roles of nodes come from manifest.json, else from terraform-inventory.host beside them,
 * else from the nick.
 *
 * Of manifest.json this much is read, in any order, all of it optional:
 *     {"nodes": [{"nick": "203.0.113.11:8580", "name": "r1", "role": "relay", "class":
 *     "algod"}],
 *      "classes": [{"name": "algod", "height": "metric", "transactions": "metric", "pool":
 *      "metric", "sent": ["metric"], "received": ["metric"],
 *                   "heap_metrics": ["inuse=metric"]}],
 *      "segments": [{"begin_us": 1794790800000000, "every_ns": 10000000000}]}
 * as struct node_class has them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/vec.h"

enum run_kind {
    RUN_HEAP,      /* .heap */
    RUN_GOROUTINE, /* .goroutine */
    RUN_MUTEX,     /* .mutex */
    RUN_BLOCK,     /* .block */
    RUN_CPU,       /* .profile; .profile?seconds=N of the original */
    RUN_METRICS,   /* .metrics, also .metrics.gz */
    RUN_BLOCKINFO, /* .blockinfo.json */
    RUN_KINDS
};
const char *run_kind_suffix(enum run_kind kind); /* "heap" */

/* "20261116_013200", with ".ffffff" when the fraction is not 0 or `with_fraction`.  `out` has
 * RUN_STAMP_MAX bytes. */
#define RUN_STAMP_MAX 24
const char *run_stamp_text(int64_t unix_us, int with_fraction, char *out);

struct run_name {
    char nick[256];
    int64_t stamp_us; /* Unix time */
    enum run_kind kind;
};
/* Whether `name` (without folder) is that of a capture. */
int run_name_parse(const char *name, struct run_name *out); /* Returns 0 or -EINVAL. */

struct run_file {
    uint32_t node; /* index */
    enum run_kind kind;
    int64_t stamp_us;         /* of the snapshot, by its name: never the file's own times */
    int64_t begin_us, end_us; /* when it was really fetched, from fetches.jsonl; 0: not known */
    char *name;               /* in the folder */
    uint64_t bytes;
};

struct run_node {
    char *nick, *name, *role,
        *class_name; /* role: see role_of_name; class_name "algod" for the original's runs */
    /* fetches that failed; where the run does not tell them, answers that are missing */
    uint64_t gaps;
};

struct json_out;
/* Writes what is known of a node as fields of an open JSON object: "name" to "gaps". */
void run_node_write(struct json_out *json, const struct run_node *node);

/* What the metrics of a kind of node mean, as the manifest says; texts are NULL and lists empty
 * when it does not. */
typedef VEC(char *) run_texts;
struct run_class {
    char *name, *height, *transactions, *pool;
    run_texts sent, received, heap_metrics;
};

/* One time of watching into the folder. */
struct run_segment_times {
    int64_t begin_us, every_us; /* 0: one snapshot */
};

struct run {
    char *path;
    VEC(struct run_node) nodes; /* by name, r2 before r10 */
    VEC(struct run_class) classes;
    VEC(struct run_segment_times) segments; /* by begin, as the manifest has them */
    VEC(struct run_file) files;             /* by node, kind, stamp */
    VEC(int64_t) stamps;                    /* all, ascending, each once */
    VEC(uint32_t) by_nick;                  /* nodes, in order of nick */
    bool has_fetches;                       /* fetches.jsonl is there */
    uint64_t strangers;                     /* files that are no capture and have no name of ours */
};

/* Opens a run, also while it is being written: then it has the files of now.  Returns NULL with a
 * sentence if there is no folder, or nothing in it. */
struct run *run_open(const char *path, struct fault *fault);
void run_close(struct run *run);
/* Finds the files of a node, of one kind, as a range of run->files.  Returns their number. */
size_t run_files_of(const struct run *run, uint32_t node, enum run_kind kind,
                    const struct run_file **first);
/* Returns the index of the node with this nick; -1: none. */
int64_t run_node_of(const struct run *run, const char *nick);
/* Returns the class of a node; NULL: the manifest has none of that name. */
const struct run_class *run_class_of(const struct run *run, uint32_t node);
/* Opens a file in the folder of a run, or beside it.  The folder may come from a stranger: a pipe,
 * a device, a folder or a file of /proc of that name is never opened for reading.  A descriptor, or
 * -errno. */
int run_path_open(const char *path);
/* Opens a file of the run.  Returns a descriptor, or -errno. */
int run_file_open(const struct run *run, const struct run_file *file);
