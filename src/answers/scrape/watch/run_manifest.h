/* run_manifest.h - manifest.json of a run: what was watched, how, and why the watch ended.
 *
 * The manifest is written when a watch begins and when it ends.  When a run is continued, the
 * manifest keeps what it says about earlier watches: one segment per watch, and nodes and classes
 * that do not exist any more.  It contains no secrets. */
#pragma once

#include <stdint.h>

#include "scrape/nodes/node_list.h"
#include "scrape/watch/run_writer.h"

#define RUN_MANIFEST_FORMAT 1

/* One watch. */
struct run_segment {
    uint64_t begin_us, end_us; /* Unix time; end 0: the watch is running, or died */
    const char *why; /* why the watch ended: "for", "rounds", "signal", …; NULL: as for end 0 */
    const char *command;                                                 /* without secrets */
    uint64_t every_ns, for_ns, timeout_ms, cpu_ns, cpu_after_ns, rounds; /* 0: none */
    uint32_t captures;                                                   /* enum node_capture */
    uint64_t ticks, ticks_dropped, fetches, gaps;
};

struct run_manifest;

/* Reads the existing manifest, if any.  A file that is no manifest is renamed to manifest.json.old.
 * Returns NULL when out of memory. */
struct run_manifest *run_manifest_create(struct run_writer *writer);
void run_manifest_destroy(struct run_manifest *manifest); /* NULL is allowed */
/* Returns 0; or -errno, and the old manifest is unchanged. */
int run_manifest_write(struct run_manifest *manifest, const struct node_list *list,
                       const struct run_segment *segment);
