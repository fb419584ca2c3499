/* diff.h - what changed between two weighings, call site by call site.
 *
 * Sites are matched by what people see - module name, function, if asked for file and line - and
 * never by address, so that recordings of different builds compare.  Library versions, clone
 * suffixes of the compiler and, where the builds differ, offsets of nameless code do not count. */
#pragma once

#include <stdbool.h>

#include "analyze/sites/rank.h"

enum diff_kind { DIFF_NEW, DIFF_GONE, DIFF_GROWN, DIFF_SHRUNK, DIFF_KINDS };
extern const char *const diff_kind_names[DIFF_KINDS]; /* "new" "gone" "grown" "shrunk" */

struct diff_side {
    struct recording *recording;
    const struct weights *weights; /* by stack */
};

struct diff_row {
    enum diff_kind kind;
    int64_t before, after, before_count, after_count;
    struct recording *shown_by; /* where `stack` can be shown; the newer side if it has it */
    stack_id stack;             /* one of the stacks of this row */
};

struct diff {
    enum grouping by;
    struct diff_side before, after;
    VEC(struct diff_row) rows; /* by |change|, falling; what did not change is left out */
    uint64_t unchanged;        /* rows left out so */
    uint64_t kinds[DIFF_KINDS];
};

/* Both sides may be of one recording.  `by` is anything but BY_THREAD: the whole stack, or what
 * its innermost frame is in.  `match_lines`: file and line make a difference too.  The
 * recordings and weights must outlive the diff.  0 or -ENOMEM. */
int diff_build(struct diff_side before, struct diff_side after, enum grouping by, bool match_lines,
               struct diff *diff);
void diff_fini(struct diff *diff);
