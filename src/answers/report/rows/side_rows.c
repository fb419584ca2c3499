/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows an answer of several metrics has, and the answer as CSV. */
#include <inttypes.h>
#include <math.h>

#include "report/rows/csv_field.h"
#include "report/rows/side_report.h"

static double magnitude(int64_t value)
{
    return value < 0 ? -(double)value : (double)value;
}

bool side_is_small(const struct side_by_side *sides, const struct side_value *values, double share)
{
    for (unsigned i = 0; i < sides->question.count; i++) {
        double const size = magnitude(values[i].total_value);
        if (size > 0 && size >= share * magnitude(sides->columns[i].whole_value))
            return false;
    }
    return true;
}

void side_each_row(const struct side_by_side *sides, const struct side_view *view,
                   uint64_t fallback_top, side_put_row *put, void *context)
{
    uint64_t left = view->top == SIDE_NO_TOP ? fallback_top : view->top;
    size_t const count = sides->rows.count;
    for (size_t i = 0; i < count && left > 0; i++) {
        const struct side_row *row = &sides->rows.items[view->reverse ? count - 1 - i : i];
        if (side_is_small(sides, row->values, view->threshold))
            continue;
        put(context, row);
        left--;
    }
}

struct csv {
    const struct recording *recording;
    const struct side_by_side *sides;
    FILE *out;
};

static void put_csv_row(void *context, const struct side_row *row)
{
    const struct csv *csv = context;
    const struct side_question *question = &csv->sides->question;
    for (unsigned i = 0; i < question->count; i++)
        fprintf(csv->out, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",",
                row->values[i].self_value, row->values[i].self_count, row->values[i].total_value,
                row->values[i].total_count);
    for (unsigned i = 0; i + 1 < question->count; i++) {
        struct side_ratio const ratio = side_ratio_of(question, i);
        double const value = side_ratio_value(&ratio, row->values);
        if (isfinite(value))
            fprintf(csv->out, "%.6g", value);
        putc(',', csv->out);
    }
    csv_field_write(csv->out, recording_text(csv->recording, row->function));
    putc(',', csv->out);
    csv_field_write(csv->out, recording_text(csv->recording, row->module));
    putc(',', csv->out);
    csv_field_write(csv->out, recording_text(csv->recording, row->file));
    fprintf(csv->out, ",%u,", row->line);
    if (question->by == BY_THREAD && row->thread < csv->recording->threads.count) {
        const struct thread *thread = &csv->recording->threads.items[row->thread];
        fprintf(csv->out, "\"%u ", thread->tid);
        csv_quoted_write(csv->out, recording_text(csv->recording, thread->name));
        putc('"', csv->out);
    }
    putc('\n', csv->out);
}

void side_csv_write(const struct recording *recording, const struct side_by_side *sides,
                    const struct side_view *view, FILE *out)
{
    struct csv csv = {recording, sides, out};
    const struct side_question *question = &sides->question;
    for (unsigned i = 0; i < question->count; i++) {
        const char *name = question->metrics[i]->name;
        fprintf(out, "%s,%s.count,%s.total,%s.total_count,", name, name, name, name);
    }
    for (unsigned i = 0; i + 1 < question->count; i++) {
        struct side_ratio const ratio = side_ratio_of(question, i);
        fprintf(out, "%s/%s,", question->metrics[ratio.above]->name,
                question->metrics[ratio.below]->name);
    }
    fputs("function,module,file,line,thread\n", out);
    side_each_row(sides, view, SIDE_NO_TOP, put_csv_row, &csv);
}
