/* descriptors.h - how many files and connections this process may still open. */
#pragma once

#include <stddef.h>

/* Raises the limit as far as the system lets us. */
void descriptors_raise(void);
/* Returns what may be opened beyond what is open now and some that are always needed; 0:
 * nothing. */
size_t descriptors_left(void);
/* Returns the limit, for sentences. */
size_t descriptors_limit(void);
