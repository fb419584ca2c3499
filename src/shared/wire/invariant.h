/* invariant.h - what always holds, said where it does: INVARIANT(condition).
 *
 * Checked in debug and sanitized builds (MEMOIR_CHECKED), which end with file, line and text where
 * it does not hold; never in libmemoir.so, which runs in other people's programs.  Elsewhere it is
 * compiled, and costs nothing.  It is about our own code: what a file or the watched program says
 * may be anything, and is answered with an error. */
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

#else

#define INVARIANT(condition) ((void)(0 && (condition)))

#endif
