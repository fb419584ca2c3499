/* dwarf_inline.h - one function in DWARF and the calls inlined into it.  Used by dwarf_unit.c. */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "symbols/dwarf/dwarf_lines.h"
#include "symbols/lookup/range_index.h"

struct inlined_call {
    Dwarf_Die die;
    uint32_t caller; /* The inlined call around it; RANGE_NONE: the function itself. */
};

struct dwarf_body {
    Dwarf_Die die;
    struct range_index ranges; /* Value: index into `calls`. */
    VEC(struct inlined_call) calls;
    bool loaded;
};

/* Adds the address ranges of a DIE.  Returns false when out of memory or bounds. */
bool dwarf_add_ranges(struct range_index *index, Dwarf_Die *die, uint32_t value);

/* Reads the inlined calls if that was not done yet.  Returns the memory newly allocated. */
size_t dwarf_body_load(struct dwarf_body *body);
void dwarf_body_free(struct dwarf_body *body);

/* Fills in the frames at an address, innermost first; returns their number.  `place` is the file
 * and line of the address itself; `unit` is the DIE whose file table the call sites use. */
size_t dwarf_body_frames(const struct dwarf_body *body, Dwarf_Die *unit, uint64_t address,
                         const struct dwarf_frame *place, struct dwarf_frame out[RESOLVED_MAX]);
