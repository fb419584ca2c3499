/* report_snapshots.h - `memoir report --massif-like`: the heap over time as massif shows it. */
#pragma once

#include "cli/shared/selection_options.h"

struct snapshots_wanted {
    bool is_wanted;   /* --massif-like */
    bool with_stacks; /* --stacks */
    uint64_t most;    /* --snapshots; 0: the usual */
};

/* For an option_set with a snapshot_options. */
extern const struct option_rule snapshot_rules[];

/* What cannot be had together with it, as a sentence; NULL when all is well. */
const char *snapshot_conflict(const struct snapshots_wanted *options,
                              const struct selection *selection);

/* Writes the answer; `depth` of trees, UINT64_MAX: the usual.  0 or -errno with a sentence. */
int report_snapshots(struct recording *recording, const struct selection *selection,
                     const struct snapshots_wanted *options, uint64_t depth, struct fault *fault);
