/* selection.h - what to look at in a recording: metric, time, grouping, filter; parsed from words
 * of a command line or of a URL.
 *
 *     struct selection selection;
 *     selection_init(&selection);
 *     selection_parse(&selection, "--metric", "heap.live", &fault);
 *     selection_weigh(&selection, recording, &weights, &fault);
 *     selection_fini(&selection); */
#pragma once

#include <stdbool.h>

#include "analyze/sites/rank.h"
#include "analyze/diff/side_by_side.h"
#include "analyze/sums/weigh.h"
#include "base/pattern/pattern.h"
#include "report/rows/time_point.h"

struct metric_list {
    const struct metric *items[SIDE_MAX];
    unsigned count;
};

struct selection {
    const struct metric *metric; /* never NULL; heap.peak unless given */
    bool metric_given;
    struct metric unknown[SIDE_MAX]; /* known by name only, until selection_find_metrics */
    char unknown_names[SIDE_MAX][64];
    unsigned unknown_count;
    bool takes_several;         /* set before parsing by a command that takes --metric A,B */
    struct metric_list several; /* then all metrics, if there are more than one */
    bool at_given, between_given;
    struct time_point from, to; /* --at sets only `to` */
    /* name of the option or parameter that set the time: "--at", "between" */
    const char *time_name;
    enum grouping by;
    bool by_given;
    bool top_down, reverse, json, csv, no_color;
    uint64_t top; /* number of rows; SELECTION_NO_TOP unless given */
    bool threshold_given;
    double threshold_share;   /* share of the total, if > 0 */
    uint64_t threshold_value; /* otherwise a value in the unit of the metric */
    const char *filter;       /* as typed, or NULL */
    struct pattern *pattern;  /* of `filter`, or NULL */
    const char *node, *kind;  /* for a run: node (NULL: all) and kind of profile (NULL: heap) */
    const char *output;       /* NULL: standard output */
};
#define SELECTION_NO_TOP UINT64_MAX

void selection_init(struct selection *selection);
void selection_fini(struct selection *selection);

/* Finds the given metrics that only `recording` has.  Call it first after opening the recording.
 * Returns 0; or -EINVAL with a sentence if a name is unknown. */
int selection_find_metrics(struct selection *selection, const struct recording *recording,
                           struct fault *fault);

/* Finds the selected time range, in ns of this recording, not snapped to buckets yet.  Returns 0;
 * or -EINVAL with a sentence if the times do not fit the recording or the metric. */
int selection_range(const struct selection *selection, const struct recording *recording,
                    struct time_range *range, struct fault *fault);

/* Chooses the metric if --metric did not: heap.peak; heap.live if a time was given, or if the
 * recording has no snapshot of its peak; the corresponding metrics of pools if those are larger.
 * Returns a sentence to show about the choice, or NULL. */
const char *selection_choose_metric(struct selection *selection, const struct recording *recording);

/* Chooses the metric for comparing two recordings or two times, if --metric did not: heap.live for
 * instants, heap.allocated for time ranges, else heap.peak.  If the recording has no heap, or its
 * peak is needed and has no snapshot, chooses like selection_choose_metric, and returns its
 * sentence.  `recording` is the older one. */
enum compared_times { COMPARED_WHOLE, COMPARED_INSTANTS, COMPARED_STRETCHES };
const char *selection_choose_compared(struct selection *selection,
                                      const struct recording *recording, enum compared_times times);
/* Returns which kind of times a selection has. */
enum compared_times selection_compared_times(const struct selection *selection);

/* Checks whether the recording measured the chosen metric: a value of 0 does not tell.  Call it
 * after the metric was chosen.  Returns 0; -ENODATA with a sentence that says how to record the
 * metric; or the error of reading. */
int selection_check_metric(const struct selection *selection, struct recording *recording,
                           struct fault *fault);
/* Like selection_check_metric for one of two recordings: `name` is put before the sentence. */
int selection_check_named(const struct selection *selection, struct recording *recording,
                          const char *name, struct fault *fault);

/* Makes the weights of the chosen metric over the chosen time.  Stacks that --filter does not match
 * are left out, also from the totals.  --threshold and --top are not applied.  Returns 0 or -errno
 * with a sentence. */
int selection_weigh(const struct selection *selection, struct recording *recording,
                    struct weights *weights, struct fault *fault);

/* Renders what --filter kept, and of how much: "only stacks with ...: 12.3 % of 4.00 GiB".  Returns
 * 0 or -errno with a sentence. */
int selection_describe_filter(const struct selection *selection, struct recording *recording,
                              const struct weights *kept, char *text, size_t size,
                              struct fault *fault);

/* Returns whether |value| is below --threshold, which may be a share of `total`; false without
 * --threshold. */
bool selection_is_small(const struct selection *selection, int64_t value, int64_t total);

/* Parses a value by the name of its option or parameter: metric, by, at, between, filter, top or
 * threshold; also with and with-at, which are between and at of a later selection.  The name is as
 * in the command line ("--at") or as in a URL ("at").  `into` is a struct selection, so this
 * function can be the callback of an option.  `name` and `value` must outlive the selection.
 * Returns 0, or -EINVAL with a sentence that has `name` as it was given. */
int selection_parse(void *into, const char *name, const char *value, struct fault *fault);
/* Returns name `index`, without dashes, in the order in which to parse them; NULL after the
 * last. */
const char *selection_name(size_t index);
