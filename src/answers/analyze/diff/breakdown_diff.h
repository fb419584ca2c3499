/* breakdown_diff.h - two breakdowns, part by part: what came, went, grew and shrank. */
#pragma once

#include "model/memory/breakdown.h"
#include "model/memory/memory_figure.h"

struct breakdown_change {
    enum breakdown_section section;
    const char *label, *item; /* of the breakdowns */
    struct memory_bytes before, after;
};

struct breakdown_diff {
    VEC(struct breakdown_change) changes; /* the largest change of the figure first, then by name */
    enum memory_figure figure;
};

/* Every part of either.  0 or -ENOMEM; then it is empty.  Both must outlive it. */
int breakdown_diff_make(struct breakdown_diff *diff, const struct breakdown *before,
                        const struct breakdown *after, enum memory_figure figure);
void breakdown_diff_fini(struct breakdown_diff *diff);

int64_t breakdown_change_of(const struct breakdown_change *change, enum memory_figure figure);
