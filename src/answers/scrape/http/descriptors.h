/* descriptors.h - the number of files and connections that this process may still open. */
#pragma once

#include <stddef.h>

/* Raises the limit of open descriptors as far as the system allows. */
void descriptors_raise(void);
/* Returns how many descriptors may be opened, keeping some that are always needed; 0: none. */
size_t descriptors_left(void);
/* Returns the limit of open descriptors, for sentences. */
size_t descriptors_limit(void);
