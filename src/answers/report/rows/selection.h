/* selection.h - what to look at in a recording: metric, time, grouping, filter; as words that a
 * person typed, on a command line or in an address.
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
    struct metric unknown[SIDE_MAX]; /* by name alone, until a recording tells which they are */
    char unknown_names[SIDE_MAX][64];
    unsigned unknown_count;
    bool takes_several;         /* set before parsing by a command that takes --metric A,B */
    struct metric_list several; /* then: all of them, when there are more than one */
    bool at_given, between_given;
    struct time_point from, to; /* at: only `to` */
    const char *time_name;      /* that either was given by: "--at", "between" */
    enum grouping by;
    bool by_given;
    bool top_down, reverse, json, csv, no_color;
    uint64_t top; /* rows to show; SELECTION_NO_TOP unless given */
    bool threshold_given;
    double threshold_share;   /* of the total, when > 0 */
    uint64_t threshold_value; /* in the metric's unit otherwise */
    const char *filter;       /* as typed, or NULL */
    struct pattern *pattern;  /* of `filter`, or NULL */
    const char *node, *kind;  /* of a run; NULL: all nodes, heaps */
    const char *output;       /* NULL: standard output */
};
#define SELECTION_NO_TOP UINT64_MAX

void selection_init(struct selection *selection);
void selection_fini(struct selection *selection);

/* Finds metrics that only `recording` has, by the names that were given; once it is open, before
 * anything else.  Returns 0 or -EINVAL with a sentence when there is none of a name. */
int selection_find_metrics(struct selection *selection, const struct recording *recording,
                           struct fault *fault);

/* The times asked for, in ns of this recording (not snapped yet).  -EINVAL with a sentence when
 * they make no sense for it or for the metric. */
int selection_range(const struct selection *selection, const struct recording *recording,
                    struct time_range *range, struct fault *fault);

/* Returns the metric when --metric did not choose it: heap.peak, or heap.live when a time was asked
 * for or the recording has no picture of its peak; the same of pools when they are the larger.  The
 * sentence to say about that, or NULL. */
const char *selection_choose_metric(struct selection *selection, const struct recording *recording);

/* Chooses the metric of a comparison of two recordings or two times; `recording` is the
 * older: heap.live of instants, heap.allocated of stretches of time, else heap.peak; or what
 * such a recording is about. */
enum compared_times { COMPARED_WHOLE, COMPARED_INSTANTS, COMPARED_STRETCHES };
const char *selection_choose_compared(struct selection *selection,
                                      const struct recording *recording, enum compared_times times);
/* Which times those of a selection are. */
enum compared_times selection_compared_times(const struct selection *selection);

/* Whether the recording has measured what is asked for, which 0 does not tell; after it was chosen.
 * Returns 0, -ENODATA with a sentence that says what would record it, or what reading gave. */
int selection_check_metric(const struct selection *selection, struct recording *recording,
                           struct fault *fault);
/* Checks one of two recordings; its name stands before the sentence. */
int selection_check_named(const struct selection *selection, struct recording *recording,
                          const char *name, struct fault *fault);

/* Weights of the chosen metric over the chosen time; stacks that --filter does not match are left
 * out, and out of the totals.  --threshold and --top are the caller's business. */
int selection_weigh(const struct selection *selection, struct recording *recording,
                    struct weights *weights, struct fault *fault);

/* Says what --filter kept, and of how much: "only stacks with ...: 12.3 % of 4.00 GiB". */
int selection_describe_filter(const struct selection *selection, struct recording *recording,
                              const struct weights *kept, char *text, size_t size,
                              struct fault *fault);

/* True when |value| of `total` is under --threshold; false when none was given. */
bool selection_is_small(const struct selection *selection, int64_t value, int64_t total);

/* Parses a value that a person gave by name: metric, by, at, between, filter, top or threshold, and
 * with or with-at, which are between and at of a later selection; as an option of a command line
 * with its dashes ("--at") or as a parameter of an address ("at").  `into` is a struct selection,
 * so that this is the callback of an option; `name` and `value` must outlive it.  Returns 0 or
 * -EINVAL with a sentence that uses `name` as it was given. */
int selection_parse(void *into, const char *name, const char *value, struct fault *fault);
/* Returns the names, without dashes, in the order to parse them; NULL: there are no more. */
const char *selection_name(size_t index);
