/* metrics_state.h - what /metrics remembers from one request to the next: its sites, and numbers
 * that cost too much to read whenever somebody asks. */
#pragma once

#include "analyze/growth/recording_growth.h"
#include "serve/targets/memory_look.h"
#include "serve/metrics/metrics_out.h"
#include "serve/content/site_list.h"

#define METRICS_KEEP_NS UINT64_C(500000000) /* so long one text serves everybody */

struct metrics_text {
    char *body;
    size_t size;
    uint64_t made_ns;
};

struct growth_state {
    bool is_known;
    struct recording_growth growth;
    uint64_t judged_ns, cost_ns; /* when, monotonic, and how long it took */
};

struct metrics_state {
    struct site_list sites;
    struct metrics_text texts[METRICS_FORMATS];
    struct memory_look look;
    struct growth_state growth;
    struct sites_state {
        uint64_t added_ns, cost_ns; /* when the sites were last added up, and how long it took */
        uint64_t time_ns;           /* of the recording then */
    } adding;
};

struct metrics_state *metrics_state_create(size_t sites); /* NULL when out of memory */
void metrics_state_destroy(struct metrics_state *state);  /* NULL is allowed */
