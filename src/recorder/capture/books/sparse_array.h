/* sparse_array.h - large arrays in which only pages that were written to cost memory; the rest is
 * zero. */
#pragma once

#include <stddef.h>

/* Makes the array at *items, of `old` bytes (or NULL and 0), `size` bytes long.  Returns 0, or
 * -ENOMEM with the array unchanged. */
int sparse_array_grow(void *items, size_t old, size_t size);
void sparse_array_free(void *items, size_t size);
