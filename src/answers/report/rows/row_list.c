/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rows/row_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_shown(const struct report *report, const struct rank_row *row)
{
    if (!row->self_value && !row->self_count && !row->total_value && !row->total_count)
        return false;
    return !report_is_small(report, row->self_value, 0) ||
           !report_is_small(report, row->total_value, 0);
}

static void choose(const struct report *report, uint64_t top, struct row_list *list)
{
    size_t const rows = list->rank.rows.count;
    for (size_t i = 0; i < rows; i++) {
        size_t const at = report->question.reverse ? rows - 1 - i : i;
        const struct rank_row *row = &list->rank.rows.items[at];
        if (list->count < top && is_shown(report, row)) {
            list->order[list->count++] = (uint32_t)at;
        } else if (row->self_value || row->self_count) {
            list->left_out++;
            list->left_out_value += row->self_value;
        }
    }
}

int row_list_make(const struct report *report, uint64_t fallback_top, struct row_list *list)
{
    memset(list, 0, sizeof(*list));
    int err = rank_build(report->recording, &report->weights, report->question.by, &list->rank);
    if (err)
        return err;
    list->order = calloc(list->rank.rows.count + 1, sizeof(*list->order));
    if (!list->order) {
        rank_fini(&list->rank);
        return -ENOMEM;
    }
    choose(report, report->question.top == REPORT_NO_LIMIT ? fallback_top : report->question.top,
           list);
    return 0;
}

void row_list_fini(struct row_list *list)
{
    rank_fini(&list->rank);
    free(list->order);
    list->order = NULL;
}

const struct rank_row *row_list_at(const struct row_list *list, size_t i)
{
    return &list->rank.rows.items[list->order[i]];
}
