/* heaptrack_fields.h - parses the fields of a line of a heaptrack file, from the front. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

extern const uint8_t heaptrack_digits[256]; /* 0 to 15; 16 for bytes that are no digit */
#define HEAPTRACK_NO_DIGIT 16

/* Parses the number at *at, which ends at the first byte that is no digit, and moves *at there.
 * The text must be followed by a line break, which stops the loop.  Returns false if there is no
 * number, or the number is too long. */
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

/* The rest of a line; a line break follows it. */
struct heaptrack_fields {
    const char *at, *end;
};

/* Parses a number, and the blank before it if there is one.  Returns false if there is none. */
bool heaptrack_parse_number(struct heaptrack_fields *fields, uint64_t *value);
/* Parses a number that fits 32 bits. */
bool heaptrack_parse_number32(struct heaptrack_fields *fields, uint32_t *value);
/* Parses a string after its length.  Returns false if the line is too short. */
bool heaptrack_parse_sized(struct heaptrack_fields *fields, struct slice *text);
/* Parses the text before the next blank. */
bool heaptrack_parse_word(struct heaptrack_fields *fields, struct slice *text);
/* Parses the rest of the line, without the blank before it. */
struct slice heaptrack_parse_rest(struct heaptrack_fields *fields);
