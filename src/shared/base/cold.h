/* cold.h - for what hardly ever happens in the middle of what happens millions of times a second: kept apart, it takes
 * no registers from the rest.  Give it copies, not addresses: what has an address is kept in memory, also where it is not called. */
#pragma once

#define COLD __attribute__((noinline, cold))

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
