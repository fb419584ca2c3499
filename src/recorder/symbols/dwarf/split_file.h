/* split_file.h - the .dwo file that a unit of DWARF names, for libdw.
 *
 * libdw opens and maps such a file by itself, whatever it is and wherever the name leads; who owns
 * it could cut it short under that mapping and end us.  So the file is opened as every file that
 * others name, inside the root of its process, and copied to sealed memory; and while libdw looks
 * for it, the name in our private copy of the ELF file leads to that memory. */
#pragma once

#include <elfutils/libdw.h>
#include <stddef.h>

#define SPLIT_BYTES_MAX ((size_t)64 << 20) /* of one file */

/* Makes *split the unit in the file that the unit `skeleton` names, if there is one; `root` is as
 * in foreign_file_open_below, and the file may take `most` bytes.  The bytes that it takes until
 * the Dwarf of the unit ends; 0 when there is none. */
size_t split_file_find(Dwarf_Die *skeleton, const char *root, size_t most, Dwarf_Die *split);
