/* columns_used.h - which columns a recording has anything in, without reading all of it at once.
 *
 * Buckets of a large file cost seconds to read, and a list of metrics is wanted at once.  Each look reads a few of them: the newest,
 * and others spread evenly over the whole time, ever more densely until all were seen.  What is found stays found. */
#pragma once

#include <stdbool.h>

#include "model/recording.h"

struct columns_used {
    bool has[COLUMN_LIMIT];
    uint64_t to_ns; /* buckets beyond are new */
    uint32_t turn;  /* so many places of the even spread were looked at */
};

/* Looks at some more.  0, or what loading gave: that bucket is left out then. */
int columns_used_look(struct columns_used *used, struct recording *recording, struct fault *fault);

/* Whether anything was found in what a metric adds up. */
bool columns_used_has(const struct columns_used *used, const struct metric *metric);
