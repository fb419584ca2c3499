/* join_rules.h - finds an owner for resident pages that have no key in the book. */
#pragma once

#include "pages/page_join.h"

/* Gives every page of the join's pieces a key in `leaf`, by the first rule that applies (enum
 * page_rule).  Keys that no look has settled yet come from faults since the last look. */
void join_rules_apply(struct page_join *join, struct page_leaf *leaf);
