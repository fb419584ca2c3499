/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rows/csv_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/rows/csv_field.h"
#include "report/text/phase_table.h"
#include "report/rows/row_list.h"

/* Outermost first: the nodes lead inward-out, so they are turned round. */
static int put_stack(FILE *out, const struct report *report, const struct row_list *list,
                     uint32_t node)
{
    VEC(uint32_t) path = {0};
    bool ok = true;
    for (; node && ok; node = list->rank.tree.nodes.items[node].parent)
        ok = vec_push(&path, node);
    putc('"', out);
    for (size_t i = path.count; ok && i-- > 0;) {
        csv_quoted_write(out, recording_text(report->recording,
                                             list->rank.tree.nodes.items[path.items[i]].function));
        if (i > 0)
            putc(';', out);
    }
    putc('"', out);
    vec_free(&path);
    return ok ? 0 : -ENOMEM;
}

static bool has_error_column(const struct report *report)
{
    return report->recording->quality.sample_rate || report_has_losses(report);
}

static void put_error(FILE *out, const struct report *report, const struct rank_row *row)
{
    int64_t const error = report_error(
        report, (struct report_value){row->self_value, row->self_count, row->self_spread});
    putc(',', out);
    if (error != REPORT_ERROR_UNKNOWN)
        fprintf(out, "%" PRId64, error);
}

static int put_row(FILE *out, const struct report *report, const struct row_list *list,
                   const struct rank_row *row)
{
    const struct recording *recording = report->recording;
    fprintf(out, "%" PRId64 ",%" PRId64 ",%.6g,%" PRId64 ",%" PRId64 ",", row->self_value,
            row->self_count, report_share(report, row->self_value), row->total_value,
            row->total_count);
    csv_field_write(out, recording_text(recording, row->function));
    putc(',', out);
    csv_field_write(out, recording_text(recording, row->module));
    putc(',', out);
    csv_field_write(out, recording_text(recording, row->file));
    fprintf(out, ",%u,", row->line);
    if (list->rank.by == BY_THREAD && row->thread < recording->threads.count) {
        const struct thread *thread = &recording->threads.items[row->thread];
        fprintf(out, "\"%u ", thread->tid);
        csv_quoted_write(out, recording_text(recording, thread->name));
        putc('"', out);
    }
    putc(',', out);
    int err = list->rank.by == BY_STACK ? put_stack(out, report, list, row->node) : 0;
    if (has_error_column(report))
        put_error(out, report, row);
    putc('\n', out);
    return err;
}

int csv_report_write(const struct report *report, FILE *out)
{
    struct row_list list;
    if (report->question.by == BY_PHASE) {
        phase_csv_write(report, out);
        return 0;
    }
    int err = row_list_make(report, REPORT_NO_LIMIT, &list);
    if (err)
        return err;
    fprintf(out,
            "value,count,share,total_value,total_count,function,module,file,line,thread,stack%s\n",
            has_error_column(report) ? ",error" : "");
    for (size_t i = 0; i < list.count && !err; i++)
        err = put_row(out, report, &list, row_list_at(&list, i));
    row_list_fini(&list);
    return err;
}
