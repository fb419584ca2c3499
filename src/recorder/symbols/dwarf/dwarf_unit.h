/* dwarf_unit.h - the functions of one compilation unit and the calls inlined into them.  Used only
 * by dwarf_lines.c. */
#pragma once

#include <elfutils/libdw.h>

#include "symbols/dwarf/dwarf_inline.h"
#include "symbols/dwarf/dwarf_lines.h"
#include "symbols/lookup/range_index.h"

struct dwarf_unit {
    Dwarf_Die skeleton;           /* In the file itself: has ranges and lines. */
    Dwarf_Die die;                /* Equal to `skeleton`, or the unit in the .dwo file. */
    struct range_index functions; /* Value: index into `bodies`. */
    VEC(struct dwarf_body) bodies;
    size_t bytes; /* About how much was read for it. */
    bool loaded;
};

/* Reads the functions of the unit if that was not done yet. */
void dwarf_unit_load(struct dwarf_unit *unit);
void dwarf_unit_free(struct dwarf_unit *unit);

size_t dwarf_unit_find(struct dwarf_unit *unit, uint64_t address,
                       struct dwarf_frame out[RESOLVED_MAX]);
