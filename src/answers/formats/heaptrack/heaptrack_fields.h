/* heaptrack_fields.h - the fields of one line of a heaptrack file, parsed off its front. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

extern const uint8_t heaptrack_digits[256]; /* 0 to 15; 16 for what is no digit */
#define HEAPTRACK_NO_DIGIT 16

/* The number at *at, which ends at the first byte that is no digit; *at is then there.  A line
 * break behind the text is what keeps it in bounds.  False when there is none, or it is too
 * long. */
static inline bool heaptrack_number(const char **at, uint64_t *value)
{
    const unsigned char *digit = (const unsigned char *)*at;
    uint64_t sum = 0;
    while (heaptrack_digits[*digit] < HEAPTRACK_NO_DIGIT)
        sum = sum << 4 | heaptrack_digits[*digit++];
    size_t digits = (size_t)((const char *)digit - *at);
    *at = (const char *)digit;
    *value = sum;
    return digits > 0 && digits <= 16;
}

/* The rest of a line, which a line break follows. */
struct heaptrack_fields {
    const char *at, *end;
};

/* Parses a number and the blank before it, if there is one.  False when none is left. */
bool heaptrack_parse_number(struct heaptrack_fields *fields, uint64_t *value);
/* Parses a number that fits 32 bits. */
bool heaptrack_parse_number32(struct heaptrack_fields *fields, uint32_t *value);
/* Parses a string with its length in front; false when the line is shorter than that. */
bool heaptrack_parse_sized(struct heaptrack_fields *fields, struct slice *text);
/* Parses what stands before the next blank. */
bool heaptrack_parse_word(struct heaptrack_fields *fields, struct slice *text);
/* Parses all that is left, without the blank before it. */
struct slice heaptrack_parse_rest(struct heaptrack_fields *fields);
