/* stack_match.h - which stacks have a frame that matches something: a filter, a leak suppression.
 */
#pragma once

#include <regex.h>

#include "analyze/weigh.h"

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

/* Leaves only rows whose stack has a code, and makes the totals those of what is left. */
void weights_keep_matched(struct weights *weights, const uint32_t *codes);

/* stack_match for a POSIX extended expression that finds function, module or file of any frame. */
int stack_match_regex(struct recording *recording, const regex_t *regex, uint32_t **codes);
/* Both in one. */
int weights_keep_regex(struct recording *recording, const regex_t *regex, struct weights *weights);
/* The same for stacks with a frame of just this function, by its name as shown. */
int weights_keep_function(struct recording *recording, const char *function,
                          struct weights *weights);
