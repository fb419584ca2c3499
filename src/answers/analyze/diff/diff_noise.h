/* diff_noise.h - whether a change is one, or the luck of sampling; and how large it is as people
 * see it.
 *
 * Samples of processor time come by chance: n of them are uncertain by about the square root of
 * n.  Sampled blocks have the error that sampling.h states.  What was counted one by one is
 * exact. */
#pragma once

#include "analyze/diff/diff.h"

enum diff_change {
    CHANGE_NONE,  /* equal on both sides */
    CHANGE_NOISE, /* no more than sampling may be wrong by, in 95 of 100 cases */
    CHANGE_SHRANK_1,
    CHANGE_SHRANK_2, /* by 10 % and more */
    CHANGE_SHRANK_3, /* by a third and more */
    CHANGE_SHRANK_4, /* by two thirds and more */
    CHANGE_GREW_1,
    CHANGE_GREW_2, /* by 10 % and more */
    CHANGE_GREW_3, /* by half and more */
    CHANGE_GREW_4, /* three times as much, and more */
    CHANGE_NEW,
    CHANGE_GONE,
    CHANGE_KINDS
};
extern const char *const diff_change_names[CHANGE_KINDS]; /* "same", "chance", "shrank_1", … */

enum noise_kind {
    NOISE_NONE,    /* everything was counted */
    NOISE_SAMPLES, /* each count is a sample */
    NOISE_BLOCKS,  /* bytes of sampled blocks */
    NOISE_UNKNOWN, /* estimated, with an error that is not known: calls of sampled blocks */
};

struct diff_noise {
    enum noise_kind kind;
    double factor;                      /* the older side is multiplied by it, see diff_scale.h */
    double before_weight, after_weight; /* NOISE_SAMPLES: what one sample stands for */
    uint64_t before_rate, after_rate;   /* NOISE_BLOCKS: bytes per sample; 0: exact */
};

struct diff_values {
    int64_t before, after; /* as recorded: `before` without the factor */
    int64_t before_count, after_count;
};

/* What the metric of two weighings is subject to. */
struct diff_noise diff_noise_of(const struct diff_side *before, const struct diff_side *after,
                                double factor);

/* after - before * factor */
double diff_noise_change(const struct diff_noise *noise, const struct diff_values *values);
/* How much of that may be chance; 0 when exact. */
double diff_noise_error(const struct diff_noise *noise, const struct diff_values *values);
enum diff_change diff_noise_judge(const struct diff_noise *noise, const struct diff_values *values);
