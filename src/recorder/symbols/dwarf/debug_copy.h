/* debug_copy.h - a private copy of what libdw reads of an ELF file that others may change.
 *
 * libdw looks at most bytes more than once and believes what it saw before: a file that changes in
 * between could make it read and write anywhere.  The copy has the file's headers and the sections
 * that are not loaded into memory, at the places that they have in the file; everything else is
 * zero and takes no memory. */
#pragma once

#include "base/slice.h"

#define DEBUG_COPY_MAX                                                                             \
    ((uint64_t)1 << 30) /* bytes of one file; of a larger one there is no DWARF */

/* The copy, private and writable; an empty slice when it is too much, or out of memory. */
struct slice debug_copy_make(struct slice elf);
void debug_copy_free(struct slice copy); /* also an empty one */
