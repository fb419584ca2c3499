/* stack_match.h - which stacks have a frame that matches something: a filter, a leak suppression.
 */
#pragma once

#include "analyze/sums/weigh.h"
#include "base/pattern.h"

/* Judges a name as shown: of a function (inlined ones are lines of their own), of its module, of its file if that is known.
 * 0 for no match, otherwise a number; the smallest one found in a stack counts for the stack. */
struct stack_matcher {
    uint32_t (*judge)(const void *with, const char *name);
    const void *with;
    bool only_functions;
};

/* Judges every stack once: *codes has one number per stack_id, [0] for the empty stack; the caller
 * frees it.  Each name is judged once, however many stacks have it.  0 or -ENOMEM. */
int stack_match(struct recording *recording, struct stack_matcher matcher, uint32_t **codes);

/* The same, where a frame counts only if that which called it is matched by `caller`. */
int stack_match_called(struct recording *recording, struct stack_matcher matcher,
                       struct stack_matcher caller, uint32_t **codes);

/* Leaves only rows whose stack has a code, and makes the totals those of what is left. */
void weights_keep_matched(struct weights *weights, const uint32_t *codes);

/* stack_match for an expression that finds function, module or file of any frame.  0, -ENOMEM, or -EINVAL when it is too much work for
 * these names: then there are no codes, because they would leave out what matches.  Both with a sentence. */
int stack_match_pattern(struct recording *recording, const struct pattern *pattern,
                        uint32_t **codes, struct fault *fault);
/* Both in one. */
int weights_keep_pattern(struct recording *recording, const struct pattern *pattern,
                         struct weights *weights, struct fault *fault);
/* The same for stacks with a frame of just this function, by its name as shown. */
int weights_keep_function(struct recording *recording, const char *function,
                          struct weights *weights);
