/* invariant.h - INVARIANT(condition): states what always holds in our own code.
 *
 * The condition is checked in debug and sanitized builds (MEMOIR_CHECKED): the program aborts and
 * prints file, line and condition. It is never checked in libmemoir.so, which runs in other
 * people's programs. In builds without checks the condition is compiled and costs nothing. It is
 * about our own code only: what a file or the watched program says may be anything, and is answered
 * with an error. */
#pragma once

#ifdef MEMOIR_CHECKED

#include <stdio.h>
#include <stdlib.h>

__attribute__((noreturn, cold, noinline, unused)) static void
invariant_broken(const char *file, int line, const char *text)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, text);
    abort();
}

#define INVARIANT(condition)                                                                       \
    ((condition) ? (void)0 : invariant_broken(__FILE__, __LINE__, #condition))

#elif defined(__clang_analyzer__) /* it may learn from it */

#define INVARIANT(condition) ((condition) ? (void)0 : __builtin_unreachable())

#else

#define INVARIANT(condition) ((void)(0 && (condition)))

#endif
