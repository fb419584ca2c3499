/* region_names.h - the names that a program gave to its memory through memoir.h, read from
 * outside.
 *
 * Each program or library that names regions has a table of them in its data, and an ELF note,
 * in its first pages as notes are, that says how far away. */
#pragma once

#include "base/slice.h"
#include "model/memory/breakdown.h"
#include "runtimes/process_bytes.h"

/* Claims them all. */
void region_names_look(struct breakdown *breakdown, const struct process_bytes *process);

/* Where the table is, by the first bytes of an ELF file as it lies in memory from `base` on; 0
 * when there is none.  Notes beyond the bytes are asked of `read` (NULL: not at all), which
 * fills `to` or returns false. */
typedef bool (*elf_bytes_fn)(void *context, uint64_t address, void *to, size_t size);
uint64_t region_names_find(struct slice head, uint64_t base, elf_bytes_fn read, void *context);
