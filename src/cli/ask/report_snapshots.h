/* report_snapshots.h - `memoir report --massif-like`: the heap over time as massif shows it. */
#pragma once

#include "cli/shared/selection_options.h"

struct snapshots_wanted {
    bool is_wanted;   /* --massif-like */
    bool with_stacks; /* --stacks */
    uint64_t most;    /* --snapshots; 0: the usual */
};

/* Options that fill a struct snapshots_wanted. */
extern const struct option_rule snapshot_rules[];

/* Returns a sentence about an option that does not work with --massif-like; NULL if there is
 * none. */
const char *snapshot_conflict(const struct snapshots_wanted *options,
                              const struct selection *selection);

/* Prints the report.  `depth` is the depth of the trees; UINT64_MAX: the default.  Returns 0 or
 * -errno with a sentence. */
int report_snapshots(struct recording *recording, const struct selection *selection,
                     const struct snapshots_wanted *options, uint64_t depth, struct fault *fault);
