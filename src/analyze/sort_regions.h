/* sort_regions.h - puts each mapping of a breakdown into one leaf, and adds up.
 *
 * The first that fits wins: a claim, a rule of the user's, then region_place.h. */
#pragma once

#include "model/breakdown.h"

/* Mappings whose name the shell pattern fits go under the named ones, as `label`. */
struct sort_rule {
    const char *label, *pattern;
};
struct sort_rules {
    const struct sort_rule *items;
    size_t count;
};

/* Fills leaves, region_leaves and total from regions and claims; what was in them is dropped.  0 or -ENOMEM. */
int breakdown_sort(struct breakdown *breakdown, struct sort_rules rules);
