/* cold.h - marks code that rarely runs inside code that runs millions of times a second.
 *
 * A COLD function is not inlined, so it uses no registers of the hot code around the call.  Pass
 * copies to it, not addresses: a variable whose address is taken is kept in memory, even where the
 * function is not called. */
#pragma once

#define COLD __attribute__((noinline, cold))

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
