/* stack_match.h - which stacks have a frame that matches a filter or a leak suppression. */
#pragma once

#include "analyze/sums/weigh.h"
#include "base/pattern/pattern.h"

/* The callback judges a displayed name: of a function (also of inlined ones), of its module, of
 * its file if known.  It returns 0 for no match, otherwise a number; the smallest number in a
 * stack is the code of the stack. */
struct stack_matcher {
    uint32_t (*judge)(const void *with, const char *name);
    const void *with;    /* First argument of the callback. */
    bool only_functions; /* Judge names of functions only. */
};

/* Computes the code of every stack: *codes has one number per stack_id, [0] for the empty stack;
 * the caller frees it.  Each name is judged only once.  Returns 0 or -ENOMEM. */
int stack_match(struct recording *recording, struct stack_matcher matcher, uint32_t **codes);

/* A frame has the code if `callee` matches it and `caller` the frame that called it. */
struct called_matcher {
    struct stack_matcher callee, caller;
    uint32_t code;
};
#define CALLED_MATCHERS_MAX 32
struct called_matchers {
    const struct called_matcher *items;
    size_t count; /* At most CALLED_MATCHERS_MAX. */
};

/* Computes the codes of the rows of `weights` only: *codes has one number per row; the caller
 * frees it.  Takes less time and memory than stack_match.  Returns 0 or -ENOMEM. */
int stack_match_rows(struct recording *recording, struct stack_matcher matcher,
                     struct called_matchers called, const struct weights *weights,
                     uint32_t **codes);

/* Removes the rows whose stack has code 0, and recomputes the totals. */
void weights_keep_matched(struct weights *weights, const uint32_t *codes);

/* stack_match for a pattern that is searched in function, module and file of every frame.
 * Returns 0; -ENOMEM; or -EINVAL when matching these names takes too much work.  In that case
 * there are no codes, because they would leave out stacks that match.  Both errors have a
 * sentence. */
int stack_match_pattern(struct recording *recording, const struct pattern *pattern,
                        uint32_t **codes, struct fault *fault);
/* stack_match_pattern, then weights_keep_matched. */
int weights_keep_pattern(struct recording *recording, const struct pattern *pattern,
                         struct weights *weights, struct fault *fault);
/* Keeps the stacks with a frame of exactly this function, by its displayed name.
 * Returns 0 or -ENOMEM. */
int weights_keep_function(struct recording *recording, const char *function,
                          struct weights *weights);
