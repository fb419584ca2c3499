/* join_rules.h - whose a page is that is there and has no key. */
#pragma once

#include "pages/page_join.h"

/* Gives every page of the join's pieces a key in `leaf`: see enum page_rule.  Keys that no look has settled yet are of faults since the
 * last one. */
void join_rules_apply(struct page_join *join, struct page_leaf *leaf);
