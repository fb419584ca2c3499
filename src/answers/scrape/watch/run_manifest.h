/* run_manifest.h - manifest.json of a run: what was watched, how, and why it ended.
 *
 * Written when a watch begins and when it ends.  A folder that is continued keeps what its
 * manifest says about earlier times: a segment for each watch, and nodes and classes that are
 * not there any more.  Nothing secret is in it. */
#pragma once

#include <stdint.h>

#include "scrape/nodes/node_list.h"
#include "scrape/watch/run_writer.h"

#define RUN_MANIFEST_FORMAT 1

/* One watch. */
struct run_segment {
    uint64_t begin_us, end_us; /* Unix time; end 0: it is going on, or died */
    const char *why;           /* it ended: "for", "rounds", "signal", …; NULL: as above */
    const char *command;       /* without secrets */
    uint64_t every_ns, for_ns, timeout_ms, cpu_ns, cpu_after_ns, rounds; /* 0: none */
    uint32_t captures;                                                   /* enum node_capture */
    uint64_t ticks, ticks_dropped, fetches, gaps;
};

struct run_manifest;

/* Reads the one that is there, if any; one that is no manifest is kept aside as
 * manifest.json.old.  NULL when out of memory. */
struct run_manifest *run_manifest_create(struct run_writer *writer);
void run_manifest_destroy(struct run_manifest *manifest); /* NULL is allowed */
/* Returns 0 or -errno: the old one is as it was. */
int run_manifest_write(struct run_manifest *manifest, const struct node_list *list,
                       const struct run_segment *segment);
