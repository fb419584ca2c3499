/* text_fields.h - consumes fields at the front of a line of text. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

static inline struct slice slice_from(struct slice text, size_t at)
{
    return (struct slice){text.data + at, text.size - at};
}

/* Consumes `word` if the text begins with it.  Returns whether it does. */
static inline bool consume_word(struct slice *text, const char *word)
{
    size_t const size = strlen(word);
    if (text->size < size || memcmp(text->data, word, size) != 0)
        return false;
    *text = slice_from(*text, size);
    return true;
}

static inline void skip_blanks(struct slice *text)
{
    while (text->size && (text->data[0] == ' ' || text->data[0] == '\t'))
        *text = slice_from(*text, 1);
}

/* The value of a digit in a base up to 16, or -1. */
static inline int digit_value(char c, unsigned base)
{
    int const value = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    return value < (int)base ? value : -1;
}

/* Parses a number without a sign: decimal, or hexadecimal after "0x".  Returns false, and consumes
 * nothing, if there is no number or it does not fit. */
static inline bool parse_number(struct slice *text, uint64_t *value)
{
    struct slice rest = *text;
    unsigned const base = consume_word(&rest, "0x") ? 16 : 10;
    uint64_t sum = 0;
    size_t digits = 0;
    for (; digits < rest.size && digit_value(rest.data[digits], base) >= 0; digits++)
        if (__builtin_mul_overflow(sum, base, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)digit_value(rest.data[digits], base), &sum))
            return false;
    if (digits == 0)
        return false;
    *text = slice_from(rest, digits);
    *value = sum;
    return true;
}

/* Consumes the next line; *line is without its line break.  Returns false if there is no line
 * break. */
static inline bool consume_line(struct slice *text, struct slice *line)
{
    const char *end = text->size ? memchr(text->data, '\n', text->size) : NULL;
    if (!end)
        return false;
    *line = (struct slice){text->data, (size_t)(end - text->data)};
    *text = slice_from(*text, line->size + 1);
    if (line->size && line->data[line->size - 1] == '\r')
        line->size--;
    return true;
}

/* Returns the last position of `what` in the text, or -1. */
static inline long slice_find_last(struct slice text, const char *what)
{
    size_t const size = strlen(what);
    for (size_t at = text.size >= size ? text.size - size + 1 : 0; at-- > 0;)
        if (memcmp(text.data + at, what, size) == 0)
            return (long)at;
    return -1;
}
