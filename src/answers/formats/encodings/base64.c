/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/encodings/base64.h"

#include <errno.h>
#include <stdint.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t base64_encode(struct slice bytes, char *text)
{
    const unsigned char *from = (const unsigned char *)bytes.data;
    char *to = text;
    for (size_t i = 0; i < bytes.size; i += 3) {
        size_t const left = bytes.size - i;
        uint32_t const three = (uint32_t)from[i] << 16 |
                               (left > 1 ? (uint32_t)from[i + 1] << 8 : 0) |
                               (left > 2 ? from[i + 2] : 0);
        *to++ = digits[three >> 18];
        *to++ = digits[three >> 12 & 63];
        *to++ = left > 1 ? digits[three >> 6 & 63] : '=';
        *to++ = left > 2 ? digits[three & 63] : '=';
    }
    return (size_t)(to - text);
}

static int digit_value(char digit)
{
    if (digit >= 'A' && digit <= 'Z')
        return digit - 'A';
    if (digit >= 'a' && digit <= 'z')
        return digit - 'a' + 26;
    if (digit >= '0' && digit <= '9')
        return digit - '0' + 52;
    return digit == '+' ? 62 : digit == '/' ? 63 : -1;
}

ssize_t base64_decode(struct slice text, char *bytes)
{
    size_t size = text.size, made = 0;
    uint32_t bits = 0;
    unsigned held = 0; /* bits not yet written */
    for (unsigned pads = 0; pads < 2 && size > 0 && text.data[size - 1] == '='; pads++)
        size--;
    if (size % 4 == 1 || (size != text.size && text.size % 4 != 0))
        return -EINVAL;
    for (size_t i = 0; i < size; i++) {
        int const value = digit_value(text.data[i]);
        if (value < 0)
            return -EINVAL;
        bits = bits << 6 | (uint32_t)value;
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes[made++] = (char)(bits >> held & 0xff);
        }
    }
    return (ssize_t)made;
}
