/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/dwarf/dwarf_unit.h"

#include <dwarf.h>

#define DEPTH_MAX  64         /* of namespaces and types around a function */
#define RANGES_MAX (1u << 20) /* of one unit */
#define LINE_BYTES 64         /* what libdw keeps for a line, about */

/* Only below these can functions be defined; everything else is stepped over. */
static bool may_hold_functions(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type ||
           tag == DW_TAG_class_type || tag == DW_TAG_union_type || tag == DW_TAG_interface_type ||
           tag == DW_TAG_enumeration_type || tag == DW_TAG_variant_part ||
           tag == DW_TAG_lexical_block;
}

/* A lambda is a function of a type inside the function that wrote it.  One that refers to its
 * abstract form has none of its own: they are in that form. */
static bool may_write_functions(int tag, Dwarf_Die *die)
{
    return tag == DW_TAG_subprogram && !dwarf_hasattr(die, DW_AT_abstract_origin);
}

bool dwarf_add_ranges(struct range_index *index, Dwarf_Die *die, uint32_t value)
{
    Dwarf_Addr base = 0, low, high;
    ptrdiff_t at = 0;

    while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
        /* A linker that dropped a function leaves its range at 0. */
        if (low != 0 &&
            (index->ranges.count >= RANGES_MAX || !range_index_add(index, low, high, value)))
            return false;
    }
    return true;
}

static bool add_function(struct dwarf_unit *unit, Dwarf_Die *die)
{
    uint32_t value = (uint32_t)unit->bodies.count;
    size_t before = unit->functions.ranges.count;

    if (!dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges))
        return true;
    if (!dwarf_add_ranges(&unit->functions, die, value))
        return false;
    return unit->functions.ranges.count == before ||
           vec_push(&unit->bodies, (struct dwarf_body){.die = *die});
}

/* False when out of memory or bounds: what was found so far is used.  Siblings must lie ever
 * further on, which a hostile DW_AT_sibling could otherwise turn into a circle. */
static bool collect(struct dwarf_unit *unit, Dwarf_Die *parent, int depth)
{
    Dwarf_Die child;
    bool fine = true;

    if (depth > DEPTH_MAX || dwarf_child(parent, &child) != 0)
        return true;
    for (;;) {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_subprogram)
            fine = add_function(unit, &child);
        if (fine && dwarf_haschildren(&child) &&
            (may_hold_functions(tag) || may_write_functions(tag, &child)))
            fine = collect(unit, &child, depth + 1);
        Dwarf_Die next;
        if (!fine || dwarf_siblingof(&child, &next) != 0 || next.addr <= child.addr)
            return fine;
        child = next;
    }
}

void dwarf_unit_load(struct dwarf_unit *unit)
{
    Dwarf_Lines *lines;
    size_t line_count = 0;

    if (unit->loaded)
        return;
    unit->loaded = true;
    (void)collect(unit, &unit->die, 0);
    range_index_build(&unit->functions);
    if (dwarf_getsrclines(&unit->skeleton, &lines, &line_count) != 0)
        line_count = 0;
    unit->bytes = line_count * LINE_BYTES + unit->bodies.room * sizeof(struct dwarf_body) +
                  unit->functions.ranges.room * sizeof(struct range);
}

void dwarf_unit_free(struct dwarf_unit *unit)
{
    vec_each (body, &unit->bodies)
        dwarf_body_free(body);
    vec_free(&unit->bodies);
    range_index_free(&unit->functions);
}

static void line_of(struct dwarf_unit *unit, uint64_t address, struct dwarf_frame *frame)
{
    Dwarf_Line *line = dwarf_getsrc_die(&unit->skeleton, address);
    int number = 0;

    if (!line)
        return;
    frame->file = dwarf_linesrc(line, NULL, NULL);
    if (dwarf_lineno(line, &number) == 0 && number > 0)
        frame->line = (uint32_t)number;
}

size_t dwarf_unit_find(struct dwarf_unit *unit, uint64_t address,
                       struct dwarf_frame out[RESOLVED_MAX])
{
    Dwarf_Attribute attribute;
    struct dwarf_frame place = {
        .folder = dwarf_formstring(dwarf_attr(&unit->skeleton, DW_AT_comp_dir, &attribute))};

    line_of(unit, address, &place);
    const struct range *range = range_index_find(&unit->functions, address);
    if (range) {
        struct dwarf_body *body = &unit->bodies.items[range->value];
        unit->bytes += dwarf_body_load(body);
        return dwarf_body_frames(body, &unit->die, address, &place, out);
    }
    if (!place.file)
        return 0;
    out[0] = place;
    return 1;
}
