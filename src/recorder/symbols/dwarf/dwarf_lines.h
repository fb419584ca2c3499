/* dwarf_lines.h - functions, lines and inlined calls from DWARF, through libdw.
 *
 * Opening reads only the headers of the units; a unit is read when an address of it is first asked
 * for.  What was read is kept, and its size known, until dwarf_lines_forget. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "symbols/lookup/resolver.h"

struct dwarf_lines;

struct dwarf_frame {
    const char *name;    /* as written, or NULL */
    const char *linkage; /* mangled, or NULL */
    const char *file;    /* or NULL */
    const char *folder;  /* what a relative file counts from, or NULL */
    uint32_t line;
};

/* `elf` must be private and writable memory and outlive the result; `alternate` is the file dwz
 * moved shared parts to, or empty; .dwo files are looked for below `root`, which must stay, as in
 * foreign_file_open_below.  NULL when there is no usable DWARF. */
struct dwarf_lines *dwarf_lines_open(struct slice elf, struct slice alternate, const char *root);
void dwarf_lines_close(struct dwarf_lines *lines);

/* Innermost inlined call first, the real function last (its names NULL when only its line is
 * known).  Texts live until the next forget or close.  The number of frames; deeper than
 * RESOLVED_MAX is cut before the real function. */
size_t dwarf_lines_find(struct dwarf_lines *lines, uint64_t address,
                        struct dwarf_frame out[RESOLVED_MAX]);

/* About how much memory forget would give back. */
size_t dwarf_lines_bytes(const struct dwarf_lines *lines);
void dwarf_lines_forget(struct dwarf_lines *lines);

/* Memory held until close: unpacked debug sections. */
size_t dwarf_lines_fixed_bytes(const struct dwarf_lines *lines);
