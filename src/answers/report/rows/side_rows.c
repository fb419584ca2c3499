/* SPDX-License-Identifier: Apache-2.0 */
/* side_rows.c - chooses the rows of an answer with several metrics, and writes the answer as
 * CSV. */
#include <math.h>

#include "report/rows/csv_report.h"
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

struct table {
    const struct recording *recording;
    const struct side_by_side *sides;
    struct csv_out csv;
};

static void put_csv_row(void *context, const struct side_row *row)
{
    struct table *table = context;
    struct csv_out *csv = &table->csv;
    const struct side_question *question = &table->sides->question;
    for (unsigned i = 0; i < question->count; i++) {
        csv_int(csv, row->values[i].self_value);
        csv_int(csv, row->values[i].self_count);
        csv_int(csv, row->values[i].total_value);
        csv_int(csv, row->values[i].total_count);
    }
    for (unsigned i = 0; i + 1 < question->count; i++) {
        struct side_ratio const ratio = side_ratio_of(question, i);
        double const value = side_ratio_value(&ratio, row->values);
        csv_real(csv, isfinite(value) ? value : NAN, 6);
    }
    csv_place_write(csv, table->recording,
                    &(struct csv_place){row->function, row->module, row->file, row->line});
    if (question->by == BY_THREAD)
        csv_thread_write(csv, table->recording, row->thread);
    else
        csv_empty(csv);
    csv_end_row(csv);
}

void side_csv_write(const struct recording *recording, const struct side_by_side *sides,
                    const struct side_view *view, FILE *out)
{
    struct table table = {.recording = recording, .sides = sides};
    const struct side_question *question = &sides->question;
    csv_init(&table.csv, out);
    for (unsigned i = 0; i < question->count; i++) {
        const char *name = question->metrics[i]->name;
        csv_format(&table.csv, "%s,%s.count,%s.total,%s.total_count", name, name, name, name);
    }
    for (unsigned i = 0; i + 1 < question->count; i++) {
        struct side_ratio const ratio = side_ratio_of(question, i);
        csv_format(&table.csv, "%s/%s", question->metrics[ratio.above]->name,
                   question->metrics[ratio.below]->name);
    }
    csv_head(&table.csv, "function,module,file,line,thread");
    side_each_row(sides, view, SIDE_NO_TOP, put_csv_row, &table);
}
