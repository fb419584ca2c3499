/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

static bool continues(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

/* The least and greatest second byte decide overlong forms, surrogates and the upper end. */
static bool second_fits(unsigned char first, unsigned char second)
{
    switch (first) {
    case 0xe0:
        return second >= 0xa0 && second <= 0xbf;
    case 0xed:
        return second >= 0x80 && second <= 0x9f;
    case 0xf0:
        return second >= 0x90 && second <= 0xbf;
    case 0xf4:
        return second >= 0x80 && second <= 0x8f;
    default:
        return continues(second);
    }
}

size_t utf8_length(const char *text, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)text;
    if (size == 0)
        return 0;
    if (bytes[0] < 0x80)
        return 1;
    if (bytes[0] < 0xc2 || bytes[0] > 0xf4)
        return 0;
    size_t const length = bytes[0] < 0xe0 ? 2 : bytes[0] < 0xf0 ? 3 : 4;
    if (size < length || !second_fits(bytes[0], bytes[1]))
        return 0;
    for (size_t i = 2; i < length; i++)
        if (!continues(bytes[i]))
            return 0;
    return length;
}

bool utf8_steers(const char *character, size_t length)
{
    const unsigned char *c = (const unsigned char *)character;
    if (length == 1)
        return c[0] < 0x20 || c[0] == 0x7f;
    if (length == 2) /* U+0080 to U+009F, U+061C */
        return (c[0] == 0xc2 && c[1] < 0xa0) || (c[0] == 0xd8 && c[1] == 0x9c);
    if (length != 3 || c[0] != 0xe2)
        return false;
    if (c[1] == 0x80) /* U+200E, U+200F, U+2028 to U+202E */
        return c[2] == 0x8e || c[2] == 0x8f || (c[2] >= 0xa8 && c[2] <= 0xae);
    return c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9; /* U+2066 to U+2069 */
}

void utf8_tame(char *text, char instead, const char *kept)
{
    size_t const size = strlen(text);
    for (size_t at = 0; at < size;) {
        size_t const length = utf8_length(text + at, size - at);
        bool const is_bad = length == 0 || utf8_steers(text + at, length);
        if (is_bad && !strchr(kept, text[at]))
            memset(text + at, instead, length ? length : 1);
        at += length ? length : 1;
    }
}

size_t utf8_columns(const char *text, size_t size)
{
    size_t columns = 0;
    for (size_t at = 0; at < size; columns++) {
        size_t const length = utf8_length(text + at, size - at);
        at += length ? length : 1;
    }
    return columns;
}
