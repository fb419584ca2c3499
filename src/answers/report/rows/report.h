/* report.h - one question about a recording, and what was computed to answer the question.
 *
 * report_prepare makes the report once; text_report.h, json_report.h and csv_report.h only write
 * it. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "analyze/alerts/findings.h"
#include "analyze/sums/histogram.h"
#include "analyze/sums/phases.h"
#include "analyze/sites/rank.h"
#include "analyze/growth/recording_growth.h"
#include "analyze/alerts/suppress.h"
#include "analyze/sums/weigh.h"
#include "base/pattern/pattern.h"
#include "report/text/text_style.h"

enum report_histogram { HISTOGRAM_DEFAULT, HISTOGRAM_SIZES, HISTOGRAM_LIFETIMES };
#define REPORT_NO_LIMIT UINT64_MAX

struct report_question {
    const struct metric *metric;
    struct time_range range;
    bool range_given;
    bool from_mark, to_mark; /* the range begins, or ends, at a mark: at exactly that time */
    enum grouping by;
    bool top_down;  /* text: a tree from the outermost function */
    bool reverse;   /* smallest first */
    uint64_t top;   /* number of rows; REPORT_NO_LIMIT: the default of each format */
    uint64_t depth; /* text: number of callers under a row; REPORT_NO_LIMIT: all */
    bool threshold_given;
    double threshold_share;       /* share of the whole, or */
    uint64_t threshold_value;     /* value in the unit of the metric */
    const struct pattern *filter; /* NULL: all stacks */
    const char *filter_text;
    enum report_histogram histogram;
    struct suppressions *suppressions; /* for heap.leaked; NULL: none */
    uint64_t now_unix_ns;              /* to tell the age of a recording that is being written */
    int64_t limit_bytes;               /* memory limit, for growth; 0: as recorded */
    const struct recording_growth *growth; /* if known already; NULL: report_prepare computes it */
    bool for_machines;                     /* JSON without spaces for people */
    const char *note; /* shown before the rows, such as why the metric is another one; or NULL */
};

/* Returns the question of a selection.  The caller must set the range, which depends on the
 * recording. */
struct selection;
struct report_question report_question_of(const struct selection *selection);

struct report {
    struct recording *recording;
    struct report_question question;
    struct findings findings;
    struct recording_growth growth;
    struct weights weights;             /* by stack, or by thread; suppressed and filtered */
    int64_t whole_value, whole_count;   /* before the filter; shares are relative to these */
    int64_t leaked_value, leaked_count; /* at the end, without suppressed stacks */
    struct histogram histogram;         /* of the stacks that match, over the range */
    struct phases phases;               /* if rows are phases */
    uint32_t *filter_codes;             /* by stack_id, if there is a filter */
};

/* Returns 0 or -errno with a sentence.  Call report_fini after success. */
int report_prepare(struct recording *recording, const struct report_question *question,
                   struct report *report, struct fault *fault);
void report_fini(struct report *report);

/* Returns whether a value is below the threshold of the question; or, without a threshold, below
 * `fallback_share` of the whole. */
bool report_is_small(const struct report *report, int64_t value, double fallback_share);

/* Returns whether the heap was sampled, so that values in bytes are estimates. */
bool report_has_errors(const struct report *report);
/* Returns whether events were lost that may change the rows. */
bool report_has_losses(const struct report *report);

/* Value of a row.  report_error returns how far the value may be from the truth: the error of
 * sampling, which 95 of 100 cases stay within, plus everything that was lost; 0 if the value is
 * exact, or is an estimate that is not in bytes. */
struct report_value {
    int64_t value, count, spread; /* as in struct weight; all 0: the row has no sample */
};
int64_t report_error(const struct report *report, struct report_value value);
#define REPORT_ERROR_UNKNOWN (-1) /* events were lost, and the part of this row is not known */

/* Returns the share of `value` in the whole; 0 if the whole is 0. */
double report_share(const struct report *report, int64_t value);
