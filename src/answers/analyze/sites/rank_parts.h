/* rank_parts.h - inside `analyze`: a rank by kinds of lines. */
#pragma once

#include "analyze/sites/rank.h"

/* Rows and row_of_weight of rank->by, which is function, line or module, in no order.  0 or
 * -ENOMEM. */
int rank_list_kinds(struct recording *recording, const struct weights *weights, struct rank *rank);
