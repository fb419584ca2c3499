/* utf8.h - tells valid UTF-8 from invalid, for every writer whose output must be text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define UTF8_MAX 4 /* bytes of a character */

/* Returns the length (1 to 4 bytes) of the valid character at the front of `text`.  Returns 0 if
 * there is none: a stray or missing continuation byte, an overlong form, a surrogate, a code point
 * above U+10FFFF, or no bytes at all. */
size_t utf8_length(const char *text, size_t size);

/* Whether a valid character of this length (utf8_length) steers a terminal or the order in which
 * text is shown: C0, DEL, C1, the bidi controls (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066
 * to U+2069), and separators of lines and paragraphs (U+2028, U+2029). */
bool utf8_steers(const char *character, size_t length);

/* Makes untrusted text safe for a terminal: replaces characters that steer (utf8_steers) and
 * invalid bytes by `instead`, except the characters in `kept`. */
void utf8_tame(char *text, char instead, const char *kept);

/* Returns the width of the text on a terminal that shows one character per column. */
size_t utf8_columns(const char *text, size_t size);
