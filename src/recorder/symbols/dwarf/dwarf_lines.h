/* dwarf_lines.h - functions, lines and inlined calls from DWARF, through libdw.
 *
 * Opening reads only the headers of the units; a unit is read when one of its addresses is first
 * asked for.  What was read is kept until dwarf_lines_forget, and its size is known. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "symbols/lookup/resolver.h"

struct dwarf_lines;

struct dwarf_frame {
    const char *name;    /* As written in the source, or NULL. */
    const char *linkage; /* Mangled, or NULL. */
    const char *file;    /* May be NULL. */
    const char *folder;  /* Base of a relative `file`, or NULL. */
    uint32_t line;
};

/* `elf` must be private and writable memory, and outlive the result.  `alternate` is the file to
 * which dwz moved shared parts, or empty. .dwo files are searched below `root`, as in
 * foreign_file_open_below; the text must outlive the result.  Returns NULL if there is no usable
 * DWARF. */
struct dwarf_lines *dwarf_lines_open(struct slice elf, struct slice alternate, const char *root);
void dwarf_lines_close(struct dwarf_lines *lines);

/* Finds the frames at an address: innermost inlined call first, the real function last (its names
 * NULL if only its line is known).  Texts are valid until the next forget or close.  Returns the
 * number of frames; of more than RESOLVED_MAX, those before the real function are cut. */
size_t dwarf_lines_find(struct dwarf_lines *lines, uint64_t address,
                        struct dwarf_frame out[RESOLVED_MAX]);

/* Returns about how much memory dwarf_lines_forget would free. */
size_t dwarf_lines_bytes(const struct dwarf_lines *lines);
void dwarf_lines_forget(struct dwarf_lines *lines);

/* Returns the memory that is held until close: unpacked debug sections. */
size_t dwarf_lines_fixed_bytes(const struct dwarf_lines *lines);
