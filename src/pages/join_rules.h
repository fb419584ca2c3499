/* join_rules.h - whose a page is that is there and has no key. */
#pragma once

#include <stdint.h>

#include "pages/page_join.h"

#define RULES_WINDOW 16u /* pages that the kernel maps around one of a file, aligned */
#define RULES_HUGE   (2u << 20)

/* Gives every page of the pieces a key: see enum page_rule.  Keys that no look has settled yet are of faults since the last one. */
void join_rules_apply(const struct page_book *book, struct page_leaf *leaf,
                      const struct join_piece *pieces, uint32_t count);
