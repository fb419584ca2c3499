/* SPDX-License-Identifier: Apache-2.0 */
#include "base/terminal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"

#define PIECE_MAX 8192 /* one call of fprintf: a line stays together */

/* True when all was written. */
static bool write_whole(const char *text, size_t size)
{
    while (size > 0) {
        ssize_t const written = write(STDERR_FILENO, text, size);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            text += written;
            size -= (size_t)written;
        }
    }
    return true;
}

static ssize_t write_tame(void *cookie, const char *text, size_t size)
{
    char tame[PIECE_MAX];
    (void)cookie;
    for (size_t at = 0; at < size;) {
        size_t used = 0;
        while (at < size && used + 4 <= sizeof(tame)) {
            size_t const length = utf8_length(text + at, size - at);
            bool const is_kept = text[at] == '\n' || text[at] == '\t';
            if (length == 0 || (utf8_steers(text + at, length) && !is_kept)) {
                tame[used++] = '?';
            } else {
                memcpy(tame + used, text + at, length);
                used += length;
            }
            at += length ? length : 1;
        }
        if (!write_whole(tame, used))
            return 0; /* as fopencookie wants it said */
    }
    return (ssize_t)size;
}

void terminal_guard(void)
{
    FILE *guarded = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_tame});
    if (!guarded)
        return;
    setvbuf(guarded, NULL, _IONBF, 0);
    stderr = guarded; /* glibc: a variable like any other */
}

void terminal_clear_line(void)
{
    (void)write_whole("\r\033[K", strlen("\r\033[K"));
}
