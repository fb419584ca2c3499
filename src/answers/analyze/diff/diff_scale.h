/* diff_scale.h - what the older side is multiplied by, so that two runs of different length or
 * load compare. */
#pragma once

#include "analyze/diff/diff.h"

enum diff_scale {
    SCALE_NONE,  /* as recorded */
    SCALE_TIME,  /* as much time as the newer one has */
    SCALE_TOTAL, /* an equal total: only shares count */
};

extern const char *const diff_scale_names[]; /* "none", "time", "total"; NULL */
/* false, and nothing is written, when there is none of that name. */
bool diff_scale_find(const char *name, enum diff_scale *scale);

/* 0, or -EINVAL with a sentence when it makes no sense for the metric or these numbers. */
int diff_scale_factor(enum diff_scale scale, const struct diff_side *before,
                      const struct diff_side *after, double *factor, struct fault *fault);

/* The time that the weights are of, in ns. */
uint64_t diff_side_time(const struct diff_side *side);

/* Multiplies values and total by it; counts stay what they were. */
void weights_scale(struct weights *weights, double factor);
