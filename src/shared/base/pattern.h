/* pattern.h - a regular expression that a person typed, a file holds or a request brings, to look for in names.
 *
 *     struct pattern *pattern;
 *     int err = pattern_compile("cache|^index_", PATTERN_ANYWHERE, "--filter", &pattern, &fault);
 *     if (pattern_matches(pattern, slice_of(name))) ...
 *     if (pattern_given_up(pattern)) ...
 *     pattern_destroy(pattern);
 *
 * The only way to expressions in memoir: regcomp(3) takes gigabytes for some, regexec(3) and PCRE2 take time by the square of the text or
 * worse.  Nobody here asks where in a text something is, only whether; so a pattern becomes an automaton whose states are made when a text
 * first needs them.  Whatever the pattern and the texts: under 4 MiB, and time in proportion to the text.
 *
 * The syntax is that of `grep -E`, without references back: docs/patterns.md.  One thread at a time may use a pattern, because it learns. */
#pragma once

#include <stdint.h>

#include "base/fault.h"
#include "base/slice.h"

#define PATTERN_TEXT_MAX 32768 /* letters of the expression */

enum pattern_place {
    PATTERN_ANYWHERE, /* in the text */
    PATTERN_AT_START, /* of the text */
    PATTERN_WHOLE,    /* the text, from start to end */
};

struct pattern;

/* 0, -EINVAL for an expression that is wrong or too large, or -ENOMEM: then *pattern is NULL.  The sentence begins with `option`, if that
 * is not NULL.  Nothing is kept of `text`. */
int pattern_compile(const char *text, enum pattern_place place, const char *option,
                    struct pattern **pattern, struct fault *fault);
void pattern_destroy(struct pattern *pattern); /* NULL is allowed */

/* Whether it is in the text, which may have any bytes.  A text that would take too much work counts as one without, and in
 * pattern_given_up: the caller must tell. */
bool pattern_matches(const struct pattern *pattern, struct slice text);

/* How many texts so far were too much work; 0 for every pattern but those that are made for that. */
uint64_t pattern_given_up(const struct pattern *pattern);

/* 0, or -EINVAL with a sentence about that. */
int pattern_check(const struct pattern *pattern, struct fault *fault);
