/* debug_copy.h - a private copy of what libdw reads of an ELF file that others may change.
 *
 * libdw reads most bytes more than once and relies on what it saw before: a file that changes in
 * between could make it read and write anywhere.  The copy has the file's headers and the sections
 * that are not loaded into memory, at their places in the file; everything else is zero and takes
 * no memory. */
#pragma once

#include "base/slice.h"

#define DEBUG_COPY_MAX                                                                             \
    ((uint64_t)1 << 30) /* bytes of one file; of a larger one there is no DWARF */

/* Returns a private and writable copy; an empty slice if it would be too large, or when out of
 * memory. */
struct slice debug_copy_make(struct slice elf);
void debug_copy_free(struct slice copy); /* An empty slice is allowed. */
