/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/dwarf/dwarf_lines.h"

#include <dwarf.h>
#include <stddef.h>
#include <stdlib.h>

#include "symbols/dwarf/dwarf_unit.h"
#include "symbols/dwarf/split_file.h"
#include "symbols/elf/elf_view.h"

#define UNPACKED_MAX ((uint64_t)512 * 1024 * 1024) /* of compressed sections; more is not read */
#define UNITS_MAX    1000000u
#define SPLITS_MAX   ((size_t)512 << 20) /* bytes of .dwo files */

struct dwarf_lines {
    Elf *elf, *alternate_elf;
    Dwarf *dwarf, *alternate;
    struct range_index unit_ranges; /* value: which of units */
    VEC(struct dwarf_unit) units;
    size_t unit_bytes, fixed_bytes, split_bytes;
    const char *root; /* where .dwo files are */
};

/* Sum of what compressed debug sections claim to unpack to. */
static uint64_t unpacked_bytes(const struct elf_view *view)
{
    struct elf_section section;
    uint64_t sum = 0, claimed = 0;

    for (uint32_t i = 1; elf_view_section(view, i, &section); i++) {
        if (section.header.sh_flags & SHF_COMPRESSED) {
            struct slice size = slice_part(section.bytes, 8, 8); /* Elf64_Chdr.ch_size */
            claimed = 0;
            memcpy(&claimed, size.data, size.size);
        } else if (section.name.size > 8 && memcmp(section.name.data, ".zdebug_", 8) == 0) {
            struct slice size = slice_part(section.bytes, 4, 8); /* after "ZLIB", big endian */
            claimed = 0;
            memcpy(&claimed, size.data, size.size);
            claimed = __builtin_bswap64(claimed);
        } else {
            continue;
        }
        if (claimed > UNPACKED_MAX)
            return UINT64_MAX;
        sum += claimed;
    }
    return sum;
}

/* Where variables are, and macros: nobody here asks, but libdw would unpack them, a sixth of all
 * that libc's has.  And the name of the file that dwz moved parts to, which libdw would open,
 * whatever it is: only a file that module_files.c has checked is ever used. */
static bool is_unread(struct slice name)
{
    static const char *const unread[] = {".debug_loclists", ".debug_loc", ".debug_macro",
                                         ".debug_frame",    ".debug_sup", ".gnu_debugaltlink"};
    for (size_t i = 0; i < sizeof(unread) / sizeof(unread[0]); i++) {
        if (slice_equals(name, slice_of(unread[i])))
            return true;
    }
    return false;
}

/* In our private copy they become sections without bytes. */
static void hide_unread(const struct elf_view *view)
{
    const uint32_t none = SHT_NOBITS;
    struct elf_section section;
    for (uint32_t i = 1; elf_view_section(view, i, &section); i++) {
        uint64_t at = view->sections_at + i * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_type);
        struct slice type = slice_part(view->bytes, at, sizeof(none));
        if (type.size > 0 && is_unread(section.name))
            memcpy((char *)type.data, &none, sizeof(none));
    }
}

static bool is_usable(struct slice bytes, struct elf_view *view)
{
    struct elf_section section;
    if (elf_view_init(view, bytes) < 0)
        return false;
    hide_unread(view);
    return unpacked_bytes(view) <= UNPACKED_MAX && (elf_view_find(view, ".debug_info", &section) ||
                                                    elf_view_find(view, ".zdebug_info", &section));
}

static bool open_dwarf(struct dwarf_lines *lines)
{
    lines->dwarf = dwarf_begin_elf(lines->elf, DWARF_C_READ, NULL);
    if (!lines->dwarf)
        return false;
    if (lines->alternate_elf)
        lines->alternate = dwarf_begin_elf(lines->alternate_elf, DWARF_C_READ, NULL);
    if (lines->alternate)
        dwarf_setalt(lines->dwarf, lines->alternate);
    return true;
}

static void close_dwarf(struct dwarf_lines *lines)
{
    vec_each (unit, &lines->units)
        dwarf_unit_free(unit);
    vec_free(&lines->units);
    range_index_free(&lines->unit_ranges);
    dwarf_end(lines->dwarf);
    dwarf_end(lines->alternate);
    lines->dwarf = lines->alternate = NULL;
    lines->unit_bytes = lines->split_bytes = 0;
}

/* Compilers that give a unit no addresses of its own still list them in .debug_aranges. */
static void add_aranges(struct dwarf_lines *lines, Dwarf_Off unit_offset, uint32_t value)
{
    Dwarf_Aranges *aranges;
    size_t count;

    if (dwarf_getaranges(lines->dwarf, &aranges, &count) != 0)
        return;
    for (size_t i = 0; i < count; i++) {
        Dwarf_Addr start;
        Dwarf_Word length;
        Dwarf_Off offset;
        if (dwarf_getarangeinfo(dwarf_onearange(aranges, i), &start, &length, &offset) == 0 &&
            offset == unit_offset && start != 0 && start + length > start)
            (void)range_index_add(&lines->unit_ranges, start, start + length, value);
    }
}

static bool add_unit(struct dwarf_lines *lines, Dwarf_Die *die, unsigned *without_addresses)
{
    uint32_t value = (uint32_t)lines->units.count;
    size_t before = lines->unit_ranges.ranges.count;

    if (value >= UNITS_MAX ||
        !vec_push(&lines->units, (struct dwarf_unit){.skeleton = *die, .die = *die}) ||
        !dwarf_add_ranges(&lines->unit_ranges, die, value))
        return false;
    if (lines->unit_ranges.ranges.count == before && (*without_addresses)++ < 64)
        add_aranges(lines, dwarf_dieoffset(die), value);
    return true;
}

/* Reads the header and the first DIE of every unit: enough to know which one an address is in. */
static void index_units(struct dwarf_lines *lines)
{
    Dwarf_CU *unit = NULL;
    uint8_t type;
    Dwarf_Half version;
    Dwarf_Die die;
    unsigned without_addresses = 0;
    bool more = true;

    while (more && dwarf_get_units(lines->dwarf, unit, &unit, &version, &type, &die, NULL) == 0) {
        if (type == DW_UT_compile || type == DW_UT_skeleton)
            more = add_unit(lines, &die, &without_addresses);
    }
    range_index_build(&lines->unit_ranges);
}

struct dwarf_lines *dwarf_lines_open(struct slice elf, struct slice alternate, const char *root)
{
    struct elf_view view, alternate_view;

    if (!is_usable(elf, &view))
        return NULL;
    struct dwarf_lines *lines = calloc(1, sizeof(*lines));
    if (!lines)
        return NULL;
    elf_version(EV_CURRENT);
    lines->root = root;
    bool has_alternate = alternate.size > 0 && is_usable(alternate, &alternate_view);
    if (has_alternate) {
        lines->alternate_elf = elf_memory((char *)alternate.data, alternate.size);
        lines->fixed_bytes = unpacked_bytes(&alternate_view);
    }
    lines->fixed_bytes += unpacked_bytes(&view);
    lines->elf = elf_memory((char *)elf.data, elf.size);
    if (!lines->elf || !open_dwarf(lines)) {
        dwarf_lines_close(lines);
        return NULL;
    }
    index_units(lines);
    return lines;
}

void dwarf_lines_close(struct dwarf_lines *lines)
{
    if (!lines)
        return;
    close_dwarf(lines);
    elf_end(lines->elf);
    elf_end(lines->alternate_elf);
    free(lines);
}

static void load_unit(struct dwarf_lines *lines, struct dwarf_unit *unit)
{
    uint8_t type = 0;
    Dwarf_Die split;
    size_t size = 0;

    if (unit->loaded)
        return;
    if (dwarf_cu_info(unit->skeleton.cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) == 0 &&
        type == DW_UT_skeleton && lines->split_bytes < SPLITS_MAX)
        size =
            split_file_find(&unit->skeleton, lines->root, SPLITS_MAX - lines->split_bytes, &split);
    if (size > 0)
        unit->die = split;
    lines->split_bytes += size;
    lines->unit_bytes += size;
    dwarf_unit_load(unit);
    lines->unit_bytes += unit->bytes;
}

size_t dwarf_lines_find(struct dwarf_lines *lines, uint64_t address,
                        struct dwarf_frame out[RESOLVED_MAX])
{
    const struct range *range = range_index_find(&lines->unit_ranges, address);

    for (int tries = 0; range && tries < 8; tries++) {
        struct dwarf_unit *unit = &lines->units.items[range->value];
        load_unit(lines, unit);
        size_t before = unit->bytes;
        size_t count = dwarf_unit_find(unit, address, out);
        lines->unit_bytes += unit->bytes - before;
        if (count > 0)
            return count;
        range = range_index_outer(&lines->unit_ranges, range, address);
    }
    return 0;
}

size_t dwarf_lines_bytes(const struct dwarf_lines *lines)
{
    return lines->unit_bytes;
}

size_t dwarf_lines_fixed_bytes(const struct dwarf_lines *lines)
{
    return lines->fixed_bytes;
}

void dwarf_lines_forget(struct dwarf_lines *lines)
{
    close_dwarf(lines);
    if (open_dwarf(lines))
        index_units(lines);
}
