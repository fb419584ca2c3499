/* split_file.h - finds the .dwo file that a unit of DWARF names, for libdw.
 *
 * libdw itself opens and maps such a file, whatever it is and wherever the name leads; the owner
 * could truncate the file while it is mapped, which would kill us.  So we open the file like every
 * file that is named by others, inside the root of its process, and copy it to sealed memory.
 * While libdw looks for the file, the name in our private copy of the ELF file leads to that
 * memory. */
#pragma once

#include <elfutils/libdw.h>
#include <stddef.h>

#define SPLIT_BYTES_MAX ((size_t)64 << 20) /* Of one file. */

/* Makes *split the unit in the file that the unit `skeleton` names, if there is one.  `root` is as
 * in foreign_file_open_below; the file may take `most` bytes.  Returns the bytes that it takes
 * until the Dwarf of the unit ends; 0 if there is none. */
size_t split_file_find(Dwarf_Die *skeleton, const char *root, size_t most, Dwarf_Die *split);
