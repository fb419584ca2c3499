/* suppress.h - leaks that were looked at and accepted, named by rules in LeakSanitizer's syntax.
 *
 *     # comment
 *     leak:pattern
 *
 * A pattern is found anywhere in a function, module path or file of any frame, inlined ones too;
 * `^` at its beginning and `$` at its end tie it there, `*` stands for any text.  The first rule of
 * the list that matches a stack gets the credit.  Rules never touch any metric but what they are
 * applied to. */
#pragma once

#include "analyze/sums/weigh.h"
#include "base/slice.h"

struct suppression {
    char *pattern;        /* as shown; of a rule with a caller "callee < caller" */
    const char *callee;   /* a constant; NULL: the pattern is found in any frame, ... */
    const char *caller;   /* ... otherwise `callee` only in frames that this one's call */
    const char *origin;   /* "built-in", or the name given to suppressions_add; borrowed */
    uint32_t line;        /* in its file; 0 for built-in ones */
    int64_t value, count; /* what it hid, when last applied */
    uint32_t stacks;
};

struct suppressions {
    VEC(struct suppression) rules;
    int64_t value, count; /* all that was hidden, when last applied */
};

#define SUPPRESSION_LENGTH_MAX 1024
#define SUPPRESSIONS_MAX       10000

void suppressions_fini(struct suppressions *suppressions);

/* One-time allocations that libc and common runtimes keep for ever by design.  0 or -ENOMEM. */
int suppressions_add_defaults(struct suppressions *suppressions);

/* Adds the rules of a file's text.  How many lines are no rules: they are passed over, and the
 * first of them is in `fault` (offset and sentence).  -ENOMEM. */
int suppressions_add(struct suppressions *suppressions, struct slice text, const char *origin,
                     struct fault *fault);

/* Adds what the recorded program itself says is no leak; a line that is no rule is passed over.
 * 0 or -ENOMEM. */
int suppressions_add_recorded(struct suppressions *suppressions, const struct recording *recording);

/* Takes the rows that a rule matches out of `weights` and its totals, and credits the rules.
 * 0 or -ENOMEM, which leaves everything as it was. */
int suppressions_apply(struct suppressions *suppressions, struct recording *recording,
                       struct weights *weights);

/* Of heap.leaked, takes out what the usual rules and those of the program itself match, and
 * counts it in `weights`; nothing of any other metric.  So every view that takes no rules of its
 * own shows what memoir report does.  0 or -ENOMEM. */
int suppressions_leave_out(struct recording *recording, struct weights *weights);

/* True when `pattern` matches `text`; linear in their lengths times the stars. */
bool suppression_matches(const char *pattern, const char *text);
