/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/dwarf/dwarf_inline.h"

#include <dwarf.h>

#define DEPTH_MAX 256      /* of blocks and inlined calls */
#define CALLS_MAX 1000000u /* in one function */

static bool is_block(int tag)
{
    return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block ||
           tag == DW_TAG_with_stmt || tag == DW_TAG_inlined_subroutine;
}

static bool collect(struct dwarf_body *body, Dwarf_Die *parent, uint32_t caller, int depth);

static bool descend(struct dwarf_body *body, Dwarf_Die *die, uint32_t caller, int depth)
{
    if (dwarf_tag(die) == DW_TAG_inlined_subroutine) {
        uint32_t call = (uint32_t)body->calls.count;
        if (call >= CALLS_MAX || !dwarf_add_ranges(&body->ranges, die, call) ||
            !vec_push(&body->calls, (struct inlined_call){*die, caller}))
            return false;
        caller = call;
    }
    return !dwarf_haschildren(die) || collect(body, die, caller, depth + 1);
}

static bool collect(struct dwarf_body *body, Dwarf_Die *parent, uint32_t caller, int depth)
{
    Dwarf_Die child, next;

    if (depth > DEPTH_MAX || dwarf_child(parent, &child) != 0)
        return true;
    for (;; child = next) {
        if (is_block(dwarf_tag(&child)) && !descend(body, &child, caller, depth))
            return false;
        if (dwarf_siblingof(&child, &next) != 0 || next.addr <= child.addr)
            return true;
    }
}

size_t dwarf_body_load(struct dwarf_body *body)
{
    if (body->loaded)
        return 0;
    body->loaded = true;
    (void)collect(body, &body->die, RANGE_NONE, 0);
    range_index_build(&body->ranges);
    return body->ranges.ranges.room * sizeof(struct range) +
           body->calls.room * sizeof(struct inlined_call);
}

void dwarf_body_free(struct dwarf_body *body)
{
    range_index_free(&body->ranges);
    vec_free(&body->calls);
}

static const char *text_attribute(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

static void name_frame(struct dwarf_frame *frame, Dwarf_Die *die)
{
    frame->name = text_attribute(die, DW_AT_name);
    frame->linkage = text_attribute(die, DW_AT_linkage_name);
    if (!frame->linkage)
        frame->linkage = text_attribute(die, DW_AT_MIPS_linkage_name);
}

/* Where the caller was when it made the inlined call. */
static struct dwarf_frame call_site(Dwarf_Die *call, Dwarf_Die *unit)
{
    struct dwarf_frame site = {0};
    Dwarf_Attribute attribute;
    Dwarf_Word number = 0;
    Dwarf_Files *files;
    size_t count;

    if (dwarf_formudata(dwarf_attr(call, DW_AT_call_file, &attribute), &number) == 0 &&
        dwarf_getsrcfiles(unit, &files, &count) == 0 && number < count)
        site.file = dwarf_filesrc(files, number, NULL, NULL);
    number = 0;
    if (dwarf_formudata(dwarf_attr(call, DW_AT_call_line, &attribute), &number) == 0 &&
        number <= UINT32_MAX)
        site.line = (uint32_t)number;
    return site;
}

size_t dwarf_body_frames(const struct dwarf_body *body, Dwarf_Die *unit, uint64_t address,
                         const struct dwarf_frame *place, struct dwarf_frame out[RESOLVED_MAX])
{
    const struct range *range = range_index_find(&body->ranges, address);
    uint32_t call = range ? range->value : RANGE_NONE;
    struct dwarf_frame here = *place;
    Dwarf_Die die;
    size_t count = 0;

    /* A call is added after its caller, so the numbers only fall and the walk ends. */
    for (; call != RANGE_NONE; call = body->calls.items[call].caller) {
        die = body->calls.items[call].die;
        if (count + 1 < RESOLVED_MAX) {
            out[count] = here;
            name_frame(&out[count++], &die);
        }
        here = call_site(&die, unit);
        here.folder = place->folder;
    }
    die = body->die;
    out[count] = here;
    name_frame(&out[count++], &die);
    return count;
}
