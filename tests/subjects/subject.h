/* subject.h - for small programs with a known answer: functions that stay on the stack, and output
 * that does not allocate. */
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define NOINLINE     __attribute__((noinline, noclone))
#define KEEP_FRAME() __asm__ volatile("" ::: "memory") /* no tail call */

/* printf with no heap behind it. */
static inline __attribute__((format(printf, 1, 2))) void say(const char *format, ...)
{
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    for (int done = 0; done < length;) {
        ssize_t wrote = write(1, line + done, (size_t)(length - done));
        if (wrote <= 0)
            _exit(99);
        done += (int)wrote;
    }
}
