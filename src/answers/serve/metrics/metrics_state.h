/* metrics_state.h - what /metrics keeps between requests: its sites, and numbers that are too
 * expensive to compute for each request. */
#pragma once

#include "analyze/growth/recording_growth.h"
#include "serve/targets/memory_look.h"
#include "serve/metrics/metrics_out.h"
#include "serve/content/site_list.h"

#define METRICS_KEEP_NS UINT64_C(500000000) /* for this time a text is sent again */

struct metrics_text {
    char *body;
    size_t size;
    uint64_t made_ns;
};

struct growth_state {
    bool is_known;
    struct recording_growth growth;
    uint64_t judged_ns, cost_ns; /* monotonic time of the last judgement, and how long it took */
};

struct metrics_state {
    struct site_list sites;
    struct metrics_text texts[METRICS_FORMATS];
    struct memory_look look;
    struct growth_state growth;
    struct sites_state {
        uint64_t added_ns, cost_ns; /* when the sites were last summed, and how long that took */
        uint64_t time_ns;           /* time of the recording then */
    } adding;
};

struct metrics_state *metrics_state_create(size_t sites); /* NULL when out of memory */
void metrics_state_destroy(struct metrics_state *state);  /* NULL is allowed */
