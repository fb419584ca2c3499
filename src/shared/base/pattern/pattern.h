/* pattern.h - a regular expression from a user, a file or an HTTP request, to search names with.
 *
 *     struct pattern *pattern;
 *     int err = pattern_compile("cache|^index_", PATTERN_ANYWHERE, "--filter", &pattern, &fault);
 *     if (pattern_matches(pattern, slice_of(name))) ...
 *     if (pattern_given_up(pattern)) ...
 *     pattern_destroy(pattern);
 *
 * memoir uses no other regular expressions: regcomp(3) needs gigabytes for some expressions, and
 * the time of regexec(3) and PCRE2 grows with the square of the text or faster.  Callers only ask
 * whether a text matches, never where.  So a pattern becomes an automaton whose states are made
 * when a text first needs them.  For every pattern and text, it needs less than 4 MiB, and time in
 * proportion to the text.
 *
 * The syntax is that of `grep -E` without back-references: docs/patterns.md.  Matching changes the
 * pattern (it adds states), so only one thread at a time may use a pattern. */
#pragma once

#include <stdint.h>

#include "base/fault.h"
#include "base/slice.h"

#define PATTERN_TEXT_MAX 32768 /* Longest expression, in bytes. */

enum pattern_place {
    PATTERN_ANYWHERE, /* The expression matches somewhere in the text, ... */
    PATTERN_AT_START, /* ... at the start of the text, ... */
    PATTERN_WHOLE,    /* ... or from the start of the text to its end. */
};

struct pattern;

/* Compiles `text`; keeps no reference to it.  Returns 0, -EINVAL for an expression that is wrong or
 * too large, or -ENOMEM; on failure *pattern is NULL.  The sentence in `fault` begins with `option`
 * unless that is NULL.  The caller owns the pattern. */
int pattern_compile(const char *text, enum pattern_place place, const char *option,
                    struct pattern **pattern, struct fault *fault);
void pattern_destroy(struct pattern *pattern); /* NULL is allowed. */

/* Returns whether `text`, which may hold any bytes, matches.  A text that needs too much work
 * counts as no match and is counted in pattern_given_up: the caller must tell the user. */
bool pattern_matches(const struct pattern *pattern, struct slice text);

/* Returns how many texts so far needed too much work: 0 unless the pattern was made to cause
 * that. */
uint64_t pattern_given_up(const struct pattern *pattern);

/* Returns 0, or -EINVAL with a sentence if some text needed too much work. */
int pattern_check(const struct pattern *pattern, struct fault *fault);
