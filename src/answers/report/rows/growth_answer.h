/* growth_answer.h - all that is known of the growth of a recording, for a page that draws it:
 *
 * {"range": {"from_ns","to_ns"},                     that was looked at
 * "limit": "process"|"machine"|"none",              whose limit limit_bytes of `growth` is
 * "sentences": {"heap","rss"},                      as memoir report says it; empty: nothing to
 * say "growth": {…},                                    as in memoir report --json
 * "explained_share",                                what the sites are together "curves":
 * {"heap": {"time_ns": […], "bytes": […], "line_bytes": [at from_ns, at to_ns]}, "rss": the
 * same}, "site_curves": [{"time_ns": […], "bytes": […]}, …]}      of each site: live bytes
 * against the beginning */
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
