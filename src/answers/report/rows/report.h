/* report.h - one question about a recording and what was worked out to answer it.
 *
 * Made once by report_prepare; text_report.h, json_report.h and csv_report.h only write it down. */
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
    bool from_mark, to_mark; /* where the range begins and ends is a mark: the very instant */
    enum grouping by;
    bool top_down;  /* text: a tree from the outermost function */
    bool reverse;   /* smallest first */
    uint64_t top;   /* rows, or REPORT_NO_LIMIT: then each form has its own default */
    uint64_t depth; /* text: callers under a row, or REPORT_NO_LIMIT: all */
    bool threshold_given;
    double threshold_share;       /* of the whole, or ... */
    uint64_t threshold_value;     /* ... in the metric's unit */
    const struct pattern *filter; /* NULL: all stacks */
    const char *filter_text;
    enum report_histogram histogram;
    struct suppressions *suppressions;     /* for heap.leaked; NULL: none */
    uint64_t now_unix_ns;                  /* to tell how old a recording that grows is */
    int64_t limit_bytes;                   /* that memory must not reach; 0: as recorded */
    const struct recording_growth *growth; /* when it is known already; NULL: is worked out */
    bool for_machines;                     /* JSON without the spaces that people want */
    const char *note; /* said before the rows, such as why the metric is another one; or NULL */
};

/* What a selection asks for.  The range is the caller's to find, as it needs the recording. */
struct selection;
struct report_question report_question_of(const struct selection *selection);

struct report {
    struct recording *recording;
    struct report_question question;
    struct findings findings;
    struct recording_growth growth;
    struct weights weights;             /* by stack, or by thread; suppressed and filtered */
    int64_t whole_value, whole_count;   /* before the filter: what shares are shares of */
    int64_t leaked_value, leaked_count; /* at the end, without the suppressed */
    struct histogram histogram;         /* of the matching stacks, over the range */
    struct phases phases;               /* when it is by phase */
    uint32_t *filter_codes;             /* by stack_id, when there is a filter */
};

/* Returns 0 or -errno with a sentence.  Call report_fini after success. */
int report_prepare(struct recording *recording, const struct report_question *question,
                   struct report *report, struct fault *fault);
void report_fini(struct report *report);

/* Returns true for a row too small to show by the threshold asked for; `fallback_share` when none
 * was. */
bool report_is_small(const struct report *report, int64_t value, double fallback_share);

/* Returns whether the heap was sampled, so that each value in bytes is an estimate. */
bool report_has_errors(const struct report *report);
/* Returns whether events were lost of the time that rows are about. */
bool report_has_losses(const struct report *report);

/* By how much a value may be off: in 95 of 100 cases because the heap was sampled, and by all
 * that was lost; 0 when it is exact, or estimated and in no bytes. */
struct report_value {
    int64_t value, count, spread; /* as in struct weight; all 0: no sample is of it */
};
int64_t report_error(const struct report *report, struct report_value value);
#define REPORT_ERROR_UNKNOWN (-1) /* events were lost, and how many of this row's is not known */

/* Part of the whole, 0 when there is nothing. */
double report_share(const struct report *report, int64_t value);
