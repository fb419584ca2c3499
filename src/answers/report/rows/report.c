/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rows/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/stack_match.h"
#include "report/rows/selection.h"

static bool is_leaked(const struct metric *metric)
{
    return strcmp(metric->name, "heap.leaked") == 0;
}

/* Leaks are what the books have live at the end; totals would count lost frees as leaks. */
static int suppress(struct report *report, struct weights *leaked)
{
    struct suppressions *rules = report->question.suppressions;
    report->leaked_value = leaked->total_value;
    report->leaked_count = leaked->total_count;
    int err = rules ? suppressions_apply(rules, report->recording, leaked) : 0;
    if (err || !rules)
        return err;
    report->leaked_value -= rules->value;
    report->leaked_count -= rules->count;
    return 0;
}

/* The summary speaks of leaks whatever the question was. */
static int weigh_leaks_aside(struct report *report, struct fault *fault)
{
    struct weights leaked;
    if (!recording_knows_live(report->recording))
        return 0;
    int err = weigh_stacks(report->recording, metric_find("heap.leaked"), TIME_ALL, &leaked, fault);
    if (err)
        return err;
    err = suppress(report, &leaked);
    weights_fini(&leaked);
    return err;
}

static int weigh_question(struct report *report, struct fault *fault)
{
    const struct report_question *question = &report->question;
    if (question->by == BY_THREAD)
        return weigh_threads(report->recording, question->metric, question->range, &report->weights,
                             fault);
    return weigh_stacks(report->recording, question->metric, question->range, &report->weights,
                        fault);
}

static int filter(struct report *report, struct fault *fault)
{
    if (!report->question.filter)
        return 0;
    int err = stack_match_pattern(report->recording, report->question.filter, &report->filter_codes,
                                  fault);
    if (!err && report->question.by != BY_THREAD)
        weights_keep_matched(&report->weights, report->filter_codes);
    return err;
}

static int make_histogram(struct report *report, struct fault *fault)
{
    struct time_range range = report->question.range;
    uint32_t const stacks = stack_table_count(report->recording->stacks);
    uint32_t *sites = NULL;
    if (report->filter_codes) {
        sites = calloc((size_t)stacks + 1, sizeof(uint32_t));
        if (!sites)
            return -ENOMEM;
        for (uint32_t i = 0; i <= stacks; i++)
            sites[i] = report->filter_codes[i] ? 0 : HISTOGRAM_SKIP;
    }
    int err = histogram_add(report->recording, &range,
                            (struct histogram_sites){sites, &report->histogram,
                                                     metric_is_of_pools(report->question.metric)},
                            fault);
    free(sites);
    return err;
}

static int work_out(struct report *report, struct fault *fault)
{
    int err = findings_make(report->recording, &report->findings);
    if (report->question.growth)
        report->growth = *report->question.growth;
    else if (!err)
        err = recording_growth_make(report->recording, report->question.limit_bytes,
                                    &report->growth, fault);
    bool const asks_leaked = is_leaked(report->question.metric) && report->question.by != BY_THREAD;
    if (!err && !asks_leaked) /* first, so that two lists of all stacks are never there at once */
        err = weigh_leaks_aside(report, fault);
    if (!err)
        err = weigh_question(report, fault);
    if (!err && asks_leaked)
        err = suppress(report, &report->weights);
    if (err)
        return err;
    report->whole_value = report->weights.total_value;
    report->whole_count = report->weights.total_count;
    if (!err)
        err = filter(report, fault);
    if (!err)
        err = make_histogram(report, fault);
    if (!err && report->question.by == BY_PHASE)
        err = phases_build(report->recording,
                           &(struct phase_question){report->question.metric, report->question.range,
                                                    report->filter_codes},
                           &report->phases, fault);
    return err;
}

struct report_question report_question_of(const struct selection *selection)
{
    return (struct report_question){
        .metric = selection->metric,
        .range_given = selection->at_given || selection->between_given,
        .from_mark = selection->between_given && selection->from.anchor == TIME_OF_MARK,
        .to_mark = selection->to.anchor == TIME_OF_MARK,
        .by = selection->by,
        .top_down = selection->top_down,
        .reverse = selection->reverse,
        .top = selection->top == SELECTION_NO_TOP ? REPORT_NO_LIMIT : selection->top,
        .depth = REPORT_NO_LIMIT,
        .threshold_given = selection->threshold_given,
        .threshold_share = selection->threshold_share,
        .threshold_value = selection->threshold_value,
        .filter = selection->pattern,
        .filter_text = selection->filter,
    };
}

int report_prepare(struct recording *recording, const struct report_question *question,
                   struct report *report, struct fault *fault)
{
    struct fault inner = {.text = ""};
    memset(report, 0, sizeof(*report));
    report->recording = recording;
    report->question = *question;
    if (question->filter && question->by == BY_THREAD)
        return fault_set(fault, -EINVAL,
                         "a filter matches stacks, and threads are counted without stacks: leave "
                         "out the filter, or do not group by threads");
    if (question->by == BY_THREAD && recording->threads.count == 0)
        return fault_set(fault, -ENODATA,
                         "this file has no threads (heaptrack and similar tools do not record "
                         "them): leave --by thread out");
    int err = work_out(report, &inner);
    if (!err)
        return 0;
    report_fini(report);
    return fault_set(fault, err, "%s", inner.text[0] ? inner.text : "out of memory");
}

void report_fini(struct report *report)
{
    weights_fini(&report->weights);
    phases_fini(&report->phases);
    free(report->filter_codes);
    report->filter_codes = NULL;
}

static double magnitude(int64_t value)
{
    return value < 0 ? -(double)value : (double)value;
}

bool report_is_small(const struct report *report, int64_t value, double fallback_share)
{
    const struct report_question *question = &report->question;
    double const whole = magnitude(report->whole_value);
    if (!question->threshold_given)
        return magnitude(value) < fallback_share * whole;
    return magnitude(value) < question->threshold_share * whole ||
           magnitude(value) < (double)question->threshold_value;
}

double report_share(const struct report *report, int64_t value)
{
    return report->whole_value ? (double)value / (double)report->whole_value : 0;
}
