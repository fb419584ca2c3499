/* utf8.h - telling good UTF-8 from bad, for every writer whose output must be text. */
#pragma once

#include <stddef.h>

/* Bytes of the well-formed character at the front of `text` (1 to 4), or 0 when there is none:
 * a stray or missing continuation, an overlong form, a surrogate, past U+10FFFF, or no bytes at
 * all. */
size_t utf8_length(const char *text, size_t size);

/* Makes text that somebody else chose fit for a terminal: control characters, and bytes that are no character, become
 * `instead`; those in `kept` stay. */
void utf8_tame(char *text, char instead, const char *kept);

/* Columns the text takes on a terminal that shows one character per column. */
size_t utf8_columns(const char *text, size_t size);
