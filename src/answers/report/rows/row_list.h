/* row_list.h - the rows of a flat answer: ranked, limited by the threshold and --top, in order. */
#pragma once

#include "report/rows/report.h"

struct row_list {
    struct rank rank;
    uint32_t *order; /* indices into rank.rows */
    size_t count;
    size_t left_out; /* number of rows with a value of their own that are not listed */
    int64_t left_out_value;
};

/* Makes the list.  `fallback_top` is the number of rows if the question has no --top.  Returns 0 or
 * -ENOMEM. */
int row_list_make(const struct report *report, uint64_t fallback_top, struct row_list *list);
void row_list_fini(struct row_list *list);

const struct rank_row *row_list_at(const struct row_list *list, size_t i);
