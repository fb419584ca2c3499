/* select_largest.h - the value that is so far down in order, without sorting. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The value that `rank` (below `count`) others are at least as large as; all are at most
 * INT64_MAX.  Byte by byte, so its time grows with the count alone. The values are lost. */
int64_t select_largest(uint64_t *values, size_t count, size_t rank);
