/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rows/csv_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/phase_table.h"
#include "report/rows/row_list.h"

void csv_place_write(struct csv_out *csv, const struct recording *recording,
                     const struct csv_place *place)
{
    csv_text(csv, recording_text(recording, place->function));
    csv_text(csv, recording_text(recording, place->module));
    csv_text(csv, recording_text(recording, place->file));
    csv_uint(csv, place->line);
}

void csv_thread_write(struct csv_out *csv, const struct recording *recording, uint32_t thread)
{
    if (thread >= recording->threads.count) {
        csv_empty(csv);
        return;
    }
    char tid[16];
    snprintf(tid, sizeof(tid), "%u ", recording->threads.items[thread].tid);
    csv_quoted_begin(csv);
    csv_quoted_add(csv, tid);
    csv_quoted_add(csv, recording_text(recording, recording->threads.items[thread].name));
    csv_quoted_end(csv);
}

/* Outermost first: the nodes lead inward-out, so they are turned round. */
static int put_stack(struct csv_out *csv, const struct report *report, const struct row_list *list,
                     uint32_t node)
{
    VEC(uint32_t) path = {0};
    bool ok = true;
    for (; node && ok; node = list->rank.tree.nodes.items[node].parent)
        ok = vec_push(&path, node);
    csv_quoted_begin(csv);
    for (size_t i = path.count; ok && i-- > 0;) {
        csv_quoted_add(csv, recording_text(report->recording,
                                           list->rank.tree.nodes.items[path.items[i]].function));
        if (i > 0)
            csv_quoted_add(csv, ";");
    }
    csv_quoted_end(csv);
    vec_free(&path);
    return ok ? 0 : -ENOMEM;
}

static bool has_error_column(const struct report *report)
{
    return report->recording->quality.sample_rate || report_has_losses(report);
}

static void put_error(struct csv_out *csv, const struct report *report, const struct rank_row *row)
{
    int64_t const error = report_error(
        report, (struct report_value){row->self_value, row->self_count, row->self_spread});
    csv_int_if(csv, error != REPORT_ERROR_UNKNOWN, error);
}

static int put_row(struct csv_out *csv, const struct report *report, const struct row_list *list,
                   const struct rank_row *row)
{
    int err = 0;
    csv_int(csv, row->self_value);
    csv_int(csv, row->self_count);
    csv_real(csv, report_share(report, row->self_value), 6);
    csv_int(csv, row->total_value);
    csv_int(csv, row->total_count);
    csv_place_write(csv, report->recording,
                    &(struct csv_place){row->function, row->module, row->file, row->line});
    if (list->rank.by == BY_THREAD)
        csv_thread_write(csv, report->recording, row->thread);
    else
        csv_empty(csv);
    if (list->rank.by == BY_STACK)
        err = put_stack(csv, report, list, row->node);
    else
        csv_empty(csv);
    if (has_error_column(report))
        put_error(csv, report, row);
    csv_end_row(csv);
    return err;
}

int csv_report_write(const struct report *report, FILE *out)
{
    struct row_list list;
    struct csv_out csv;
    if (report->question.by == BY_PHASE) {
        phase_csv_write(report, out);
        return 0;
    }
    int err = row_list_make(report, REPORT_NO_LIMIT, &list);
    if (err)
        return err;
    csv_init(&csv, out);
    csv_format(&csv,
               "value,count,share,total_value,total_count,function,module,file,line,thread,stack");
    if (has_error_column(report))
        csv_text(&csv, "error");
    csv_end_row(&csv);
    for (size_t i = 0; i < list.count && !err; i++)
        err = put_row(&csv, report, &list, row_list_at(&list, i));
    row_list_fini(&list);
    return err;
}
