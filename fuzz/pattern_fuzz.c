/* SPDX-License-Identifier: Apache-2.0 */
/* Any line as an expression, and what comes after it as a text.  It is found in the same way
 * whenever it is asked for, and what is the whole text begins it, and what begins it is in it. */
#include <stdint.h>
#include <stdlib.h>

#include "base/pattern/pattern.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* 1, 0, or -1 when nothing follows from it. */
static int look(const char *expression, enum pattern_place place, struct slice text)
{
    struct fault fault = {.text = ""};
    struct pattern *pattern;
    int const err = pattern_compile(expression, place, NULL, &pattern, &fault);
    if (err) {
        if (pattern || err >= 0 || !fault.text[0])
            abort(); /* an error without a sentence */
        return -1;
    }
    bool const matches = pattern_matches(pattern, text);
    bool const again = pattern_matches(pattern, text);
    bool const is_sure = pattern_given_up(pattern) == 0;
    if (is_sure != (pattern_check(pattern, &fault) == 0) || (is_sure && matches != again))
        abort();
    pattern_destroy(pattern);
    return is_sure ? matches : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *newline = size ? memchr(data, '\n', size) : NULL;
    size_t const letters = newline ? (size_t)(newline - data) : size;
    struct slice const text = {newline ? (const char *)newline + 1 : NULL,
                               newline ? size - letters - 1 : 0};
    char *expression = malloc(letters + 1);
    if (!expression)
        return 0;
    if (letters)
        memcpy(expression, data, letters);
    expression[letters] = '\0';
    int const anywhere = look(expression, PATTERN_ANYWHERE, text);
    int const at_start = look(expression, PATTERN_AT_START, text);
    int const whole = look(expression, PATTERN_WHOLE, text);
    free(expression);
    if ((whole == 1 && at_start == 0) || (at_start == 1 && anywhere == 0))
        abort();
    return 0;
}
