/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - writes a report as a flat list of text: one row per function, line, module or
 * thread. */
#include <string.h>

#include "base/human.h"
#include "report/rows/row_list.h"
#include "report/text/text_frame.h"
#include "report/text/text_line.h"
#include "report/text/text_report.h"

#define ROWS_DEFAULT   20
#define NUMBER_COLUMNS 56
#define ERROR_COLUMNS  12
#define THREAD_COLUMNS 34

struct table_table {
    const struct report *report;
    const struct text_style *style;
    FILE *out;
    bool has_totals; /* a thread has no callers, so its total is itself */
    bool has_errors; /* instead of the blocks, which are counted even less well */
};

static void put_heading(const struct table_table *table)
{
    static const char *const names[] = {
        [BY_STACK] = "stack",   [BY_FUNCTION] = "function", [BY_MODULE] = "module",
        [BY_THREAD] = "thread", [BY_LINE] = "line",         [BY_PHASE] = "phase"};
    text_ink(table->style, table->out, INK_DIM);
    fprintf(table->out, "%10s  %8s  %10s  ", table->has_totals ? "self" : "value", "share",
            table->has_errors ? "error" : "count");
    if (table->has_totals)
        fprintf(table->out, "%10s  %8s  ", "total", "share");
    if (table->has_totals && table->has_errors)
        fprintf(table->out, "%10s  ", "error");
    fprintf(table->out, "%s\n", names[table->report->question.by]);
    text_ink(table->style, table->out, INK_PLAIN);
}

static void put_thread(const struct table_table *table, uint32_t index)
{
    const struct recording *recording = table->report->recording;
    struct text_line line = {0};
    if (index >= recording->threads.count)
        return;
    const struct thread *thread = &recording->threads.items[index];
    line_add_name(&line, recording_text(recording, thread->name));
    if (thread->merged > 1)
        line_add(&line, " (%u threads, too many to tell apart)", thread->merged);
    else
        line_add(&line, " (tid %u)", thread->tid);
    text_write(table->out, line.text, text_room(table->style, THREAD_COLUMNS));
}

static void put_error(const struct table_table *table, struct report_value value)
{
    char text[HUMAN_MAX];
    int64_t const error = report_error(table->report, value);
    fprintf(table->out, "±%9s  ",
            error == REPORT_ERROR_UNKNOWN ? "unknown" : human_bytes(error, text));
}

static size_t number_columns(const struct table_table *table)
{
    return table->has_errors ? NUMBER_COLUMNS + ERROR_COLUMNS : NUMBER_COLUMNS;
}

static void put_row(const struct table_table *table, const struct rank_row *row)
{
    const struct report *report = table->report;
    const char *unit = report->question.metric->unit;
    char value[HUMAN_MAX], share[HUMAN_MAX], count[HUMAN_MAX];
    text_ink(table->style, table->out, INK_STRONG);
    fprintf(table->out, "%10s", human_value(row->self_value, unit, value));
    text_ink(table->style, table->out, INK_PLAIN);
    fprintf(table->out, "  %8s  ", human_share(row->self_value, report->whole_value, share));
    if (table->has_errors)
        put_error(table, (struct report_value){row->self_value, row->self_count, row->self_spread});
    else
        fprintf(table->out, "%10s  ",
                metric_counts(report->question.metric) ? human_count(row->self_count, count) : "-");
    if (table->has_totals)
        fprintf(table->out, "%10s  %8s  ", human_value(row->total_value, unit, value),
                human_share(row->total_value, report->whole_value, share));
    if (table->has_totals && table->has_errors)
        put_error(table,
                  (struct report_value){row->total_value, row->total_count, row->total_spread});
    if (report->question.by == BY_THREAD) {
        put_thread(table, row->thread);
    } else {
        struct shown_frame const frame = {row->function, row->module, row->file, row->line,
                                          row->inlined};
        text_frame_write(table->style, table->out, report->recording, &frame,
                         text_room(table->style, number_columns(table)));
    }
    putc('\n', table->out);
}

int text_table_write(const struct report *report, const struct text_style *style, FILE *out)
{
    struct table_table const table = {report, style, out, report->question.by != BY_THREAD,
                                      report_has_errors(report)};
    struct row_list list;
    char value[HUMAN_MAX], share[HUMAN_MAX];
    int err = row_list_make(report, ROWS_DEFAULT, &list);
    if (err)
        return err;
    put_heading(&table);
    for (size_t i = 0; i < list.count; i++)
        put_row(&table, row_list_at(&list, i));
    if (list.left_out) {
        text_ink(style, out, INK_DIM);
        fprintf(out, "%10s  %8s  %10s  %zu more, see --top and --threshold\n",
                human_value(list.left_out_value, report->question.metric->unit, value),
                human_share(list.left_out_value, report->whole_value, share), "", list.left_out);
        text_ink(style, out, INK_PLAIN);
    }
    row_list_fini(&list);
    return 0;
}
