/* region_names.h - the names that a program gave to its memory through memoir.h, read from outside.
 *
 * Each program or library that names regions has a table of names in its data, and an ELF note with
 * the distance to the table.  Notes are in the first pages of a file. */
#pragma once

#include "base/slice.h"
#include "model/memory/breakdown.h"
#include "runtimes/process_bytes.h"

/* Claims all named regions. */
void region_names_look(struct breakdown *breakdown, const struct process_bytes *process);

/* Returns the address of the table; 0 if there is none.  `head` is the beginning of an ELF file as
 * it is in memory at `base`.  `read` reads notes that are not in `head` (NULL: they are ignored);
 * it fills `to` or returns false. */
typedef bool (*elf_bytes_fn)(void *context, uint64_t address, void *to, size_t size);
uint64_t region_names_find(struct slice head, uint64_t base, elf_bytes_fn read, void *context);
