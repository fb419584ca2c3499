/* metrics_state.h - what /metrics remembers from one request to the next: its sites, and numbers that cost too much to
 * read whenever somebody asks. */
#pragma once

#include "model/memory_region.h"
#include "serve/metrics_out.h"
#include "serve/site_list.h"

#define METRICS_KEEP_NS   UINT64_C(500000000) /* so long one text serves everybody */
#define ROLLUP_COST_SHARE 100 /* reading smaps_rollup may take this part of the time */

struct metrics_text {
    char *body;
    size_t size;
    uint64_t made_ns;
};

/* The process as /proc/PID/smaps_rollup sums it up: the kernel walks all its pages for it. */
struct rollup {
    bool is_known;
    struct memory_bytes bytes;
    uint64_t read_ns, cost_ns; /* when, monotonic, and how long it took */
    uint64_t reads, failures;
};

struct metrics_state {
    struct site_list sites;
    struct metrics_text texts[METRICS_FORMATS];
    struct rollup rollup;
};

struct metrics_state *metrics_state_create(size_t sites); /* NULL when out of memory */
void metrics_state_destroy(struct metrics_state *state);  /* NULL is allowed */

/* Reads it again unless that was so lately that it would take more than its share of the time. */
void rollup_refresh(struct rollup *rollup, uint32_t pid);
