/* growth_answer.h - what is known about the growth of a recording, as JSON for a page that draws
 * it:
 *
 * {"range": {"from_ns","to_ns"},         the time range that was judged
 *  "limit": "process"|"machine"|"none",  which limit limit_bytes in "growth" is
 *  "sentences": {"heap","rss"},          as in memoir report; empty: nothing to say
 *  "growth": {…},                        as in memoir report --json
 *  "explained_share",                    share of the growth that the sites have together
 *  "curves": {"heap": {"time_ns": […], "bytes": […], "line_bytes": [at from_ns, at to_ns]},
 *             "rss": {…}},
 *  "site_curves": [{"time_ns": […], "bytes": […]}, …]}
 *                                        live bytes of each site, minus those at the begin */
#pragma once

#include <stdio.h>

#include "analyze/growth/recording_growth.h"

struct growth_answer {
    struct recording *recording;
    struct time_range range;
    struct recording_growth growth;
    struct growth_curve heap, rss;
};

/* Returns 0 or -errno with a sentence. */
int growth_answer_make(struct recording *recording, struct time_range range,
                       struct growth_answer *answer, struct fault *fault);
int growth_answer_write(const struct growth_answer *answer, FILE *out); /* Returns 0 or -EIO. */
