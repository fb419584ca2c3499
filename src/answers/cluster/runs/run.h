/* run.h - a run is the folder that a watch of a cluster writes: its files, by node and time.
 *
 * memoir and the original scripts write such folders.  A file is <nick>.<stamp>.<kind>, where the
 * stamp is YYYYMMDD_HHMMSS in UTC with an optional fraction, and the nick may have colons and dots.
 * Names and roles of nodes are from manifest.json, else from terraform-inventory.host in the
 * folder, else from the nick.
 *
 * These parts of manifest.json are read; they may be in any order, and each is optional:
 *     {"nodes": [{"nick": "203.0.113.11:8580", "name": "r1", "role": "relay",
 *                 "class": "algod"}],
 *      "classes": [{"name": "algod", "height": "metric", "transactions": "metric",
 *                   "pool": "metric", "sent": ["metric"], "received": ["metric"],
 *                   "heap_metrics": ["inuse=metric"]}],
 *      "segments": [{"begin_us": 1794790800000000, "every_ns": 10000000000}]}
 * struct node_class explains the fields of a class. */
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

/* Renders "20261116_013200", with ".ffffff" if the fraction is not 0 or if `with_fraction`.  `out`
 * has RUN_STAMP_MAX bytes.  Returns `out`. */
#define RUN_STAMP_MAX 24
const char *run_stamp_text(int64_t unix_us, int with_fraction, char *out);

struct run_name {
    char nick[256];
    int64_t stamp_us; /* Unix time */
    enum run_kind kind;
};
/* Parses the name (without folder) of a capture. */
int run_name_parse(const char *name, struct run_name *out); /* Returns 0 or -EINVAL. */

struct run_file {
    uint32_t node; /* index */
    enum run_kind kind;
    /* of the snapshot, from the name of the file: never the times of the file itself */
    int64_t stamp_us;
    int64_t begin_us, end_us; /* when the file was fetched, from fetches.jsonl; 0: not known */
    char *name;               /* name in the folder */
    uint64_t bytes;
};

struct run_node {
    /* role: see role_of_name; class_name: "algod" for runs of the original scripts */
    char *nick, *name, *role, *class_name;
    /* failed fetches; if the run does not record them, missing answers */
    uint64_t gaps;
};

struct json_out;
/* Writes what is known about a node as fields of the open JSON object: "name" to "gaps". */
void run_node_write(struct json_out *json, const struct run_node *node);

/* The meaning of the metrics of a class of nodes, from the manifest.  Texts are NULL, and lists
 * empty, if the manifest does not say. */
typedef VEC(char *) run_texts;
struct run_class {
    char *name, *height, *transactions, *pool;
    run_texts sent, received, heap_metrics;
};

/* One watch that wrote to the folder. */
struct run_segment_times {
    int64_t begin_us, every_us; /* 0: one snapshot */
};

struct run {
    char *path;
    VEC(struct run_node) nodes; /* sorted by name, r2 before r10 */
    VEC(struct run_class) classes;
    VEC(struct run_segment_times) segments; /* sorted by begin, as in the manifest */
    VEC(struct run_file) files;             /* sorted by node, kind, stamp */
    VEC(int64_t) stamps;                    /* all, ascending, each once */
    VEC(uint32_t) by_nick;                  /* indices of nodes, sorted by nick */
    bool has_fetches;                       /* fetches.jsonl is there */
    uint64_t strangers; /* number of files that are no capture and have no known name */
};

/* Opens a run.  If the run is still being written, it has the files of now.  Returns NULL with a
 * sentence if there is no folder, or nothing in it. */
struct run *run_open(const char *path, struct fault *fault);
void run_close(struct run *run);
/* Finds the files of a node, of one kind, as a range of run->files.  Returns their number. */
size_t run_files_of(const struct run *run, uint32_t node, enum run_kind kind,
                    const struct run_file **first);
/* Returns the index of the node with this nick; -1: none. */
int64_t run_node_of(const struct run *run, const char *nick);
/* Returns the class of a node; NULL: the manifest has no class with that name. */
const struct run_class *run_class_of(const struct run *run, uint32_t node);
/* Opens a file in the folder of a run, or beside it.  The folder may be from a stranger: a pipe, a
 * device, a folder, or a file of /proc with that name is never opened for reading.  Returns a
 * descriptor or -errno. */
int run_path_open(const char *path);
/* Opens a file of the run.  Returns a descriptor or -errno. */
int run_file_open(const struct run *run, const struct run_file *file);
