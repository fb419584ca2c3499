/* dwarf_unit.h - the functions of one compilation unit and the calls inlined into them.
 * Used by dwarf_lines.c alone. */
#pragma once

#include <elfutils/libdw.h>

#include "symbols/dwarf/dwarf_inline.h"
#include "symbols/dwarf/dwarf_lines.h"
#include "symbols/lookup/range_index.h"

struct dwarf_unit {
    Dwarf_Die skeleton;           /* of the file itself: has ranges and lines */
    Dwarf_Die die;                /* the same, or the unit in the .dwo file */
    struct range_index functions; /* value: which of bodies */
    VEC(struct dwarf_body) bodies;
    size_t bytes; /* what was read for it, about */
    bool loaded;
};

/* Reads the functions of the unit if that was not yet done. */
void dwarf_unit_load(struct dwarf_unit *unit);
void dwarf_unit_free(struct dwarf_unit *unit);

size_t dwarf_unit_find(struct dwarf_unit *unit, uint64_t address,
                       struct dwarf_frame out[RESOLVED_MAX]);
