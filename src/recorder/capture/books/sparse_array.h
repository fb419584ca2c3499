/* sparse_array.h - large arrays of which only those pages cost memory that were written to; the
 * rest is zero. */
#pragma once

#include <stddef.h>

/* Makes the array at *items, of `old` bytes or NULL and 0, `size` bytes long.  0 or -ENOMEM:
 * then it is as it was. */
int sparse_array_grow(void *items, size_t old, size_t size);
void sparse_array_free(void *items, size_t size);
