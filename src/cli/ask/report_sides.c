/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ask/report_sides.h"

#include <errno.h>
#include <string.h>

#include "cli/shared/answer_file.h"
#include "report/rows/side_report.h"

/* Its place among the metrics, or their number. */
static unsigned find_sort(const struct metric_list *list, const char *sort)
{
    unsigned index = 0;
    while (sort && index < list->count && strcmp(list->items[index]->name, sort) != 0)
        index++;
    return index;
}

const char *report_sides_conflict(const struct selection *selection, const char *sort)
{
    if (selection->several.count < 2)
        return sort ? "--sort chooses among several metrics: name them with --metric A,B" : NULL;
    if (find_sort(&selection->several, sort) == selection->several.count)
        return "--sort is one of the metrics that --metric names";
    if (selection->by_given && (selection->by == BY_STACK || selection->by == BY_PHASE))
        return "several metrics are side by side by function, line, module or thread, or as a tree "
               "with --top-down";
    if (selection->by == BY_THREAD && (selection->filter || selection->top_down))
        return "threads are counted without their stacks: leave --filter, --top-down or --by "
               "thread "
               "out";
    if (selection->csv && selection->top_down)
        return "--csv prints a table and --top-down a tree: leave one of them out";
    return NULL;
}

/* A time must make sense for each of the metrics. */
static int find_range(struct selection *selection, const struct recording *recording,
                      struct time_range *range, struct fault *fault)
{
    int err = 0;
    for (unsigned i = 0; i < selection->several.count && !err; i++) {
        selection->metric = selection->several.items[i];
        err = selection_range(selection, recording, range, fault);
    }
    return err;
}

static struct side_view make_view(const struct selection *selection, int64_t whole)
{
    struct side_view view = {.top =
                                 selection->top == SELECTION_NO_TOP ? SIDE_NO_TOP : selection->top,
                             .threshold_given = selection->threshold_given,
                             .threshold = selection->threshold_share,
                             .reverse = selection->reverse,
                             .top_down = selection->top_down,
                             .filter = selection->filter};
    if (selection->threshold_value && whole)
        view.threshold =
            (double)selection->threshold_value / (whole < 0 ? -(double)whole : (double)whole);
    return view;
}

static int write_answer(const struct selection *selection, const struct recording *recording,
                        const struct side_by_side *sides, struct fault *fault)
{
    struct side_view const view =
        make_view(selection, sides->columns[sides->question.sort].whole_value);
    FILE *out = answer_open(selection->output, fault);
    int err = 0;
    if (!out)
        return fault->code;
    struct text_style const style = {answer_width(out),
                                     answer_wants_color(out, selection->no_color)};
    if (selection->json)
        err = side_json_write(recording, sides, &view, out);
    else if (selection->csv)
        side_csv_write(recording, sides, &view, out);
    else
        err = side_text_write(recording, sides, &view, &style, out);
    int const closed = answer_close(out, selection->output, fault);
    if (err == -ENOMEM)
        return fault_set(fault, err, "out of memory while writing the report");
    return closed;
}

int report_sides(struct recording *recording, struct selection *selection, const char *sort,
                 struct fault *fault)
{
    struct side_question question = {.count = selection->several.count,
                                     .sort = find_sort(&selection->several, sort),
                                     .by = selection->by_given ? selection->by : BY_FUNCTION,
                                     .filter = selection->pattern};
    struct side_by_side sides;
    memcpy(question.metrics, selection->several.items, sizeof(question.metrics));
    int err = find_range(selection, recording, &question.range, fault);
    if (!err && question.by == BY_THREAD && recording->threads.count == 0)
        err =
            fault_set(fault, -ENODATA, "there are no threads in this file: leave --by thread out");
    if (!err)
        err = side_by_side_build(recording, &question, &sides, fault);
    if (err)
        return err;
    err = write_answer(selection, recording, &sides, fault);
    side_by_side_fini(&sides);
    return err;
}
