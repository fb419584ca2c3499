/* sort_regions.h - puts each mapping of a breakdown into one leaf, and adds up.
 *
 * The first that fits wins: a claim, a rule of the user's, then region_place.h. */
#pragma once

#include "model/memory/breakdown.h"
#include "model/memory/memory_figure.h"

/* Mappings whose name the shell pattern fits go under the named ones, as `label`. */
struct sort_rule {
    const char *label, *pattern;
};

/* What the parts are: whose memory it is, or merely the kernel's name, file or rights of a
 * mapping. */
enum sort_by { SORT_BY_CATEGORY, SORT_BY_NAME, SORT_BY_FILE, SORT_BY_RIGHTS };

/* The words for it, in that order: "category", "name", "file", "perm"; then NULL. */
extern const char *const sort_by_names[];

struct sort_rules {
    const struct sort_rule *items;
    size_t count;
    enum sort_by by;           /* by other than category there is one section, SECTION_OTHER */
    enum memory_figure figure; /* largest first */
};

/* Fills leaves, region_leaves and total from regions and claims; what was in them is dropped.  0
 * or -ENOMEM. */
int breakdown_sort(struct breakdown *breakdown, struct sort_rules rules);
