/* parse_number.h - the number of a command-line option, checked. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* True when all of `text` is a number from `low` to `high`. */
static inline bool parse_number(const char *text, long low, long high, long *number)
{
    char *end;
    errno = 0;
    *number = strtol(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && *number >= low && *number <= high;
}
