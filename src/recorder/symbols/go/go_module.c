/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/go/go_module.h"

#include <errno.h>
#include <stdlib.h>

#include "symbols/go/pclntab_function.h"

#define MODULEDATA_WORDS 48 /* as far as any known version keeps what we read */

/* Where in moduledata, in words: what Go calls text, and gofunc (1.18; 1.20 to 1.26). */
#define WORD_TEXT        22
#define WORD_GOFUNC_1_18 38
#define WORD_GOFUNC_1_20 40

static struct slice memory_of(void *context, uint64_t address)
{
    return elf_view_at(context, address);
}

/* In a position-independent file a pointer is a relocation; its addend is the address. */
static bool relocated(const struct elf_view *view, uint64_t place, uint64_t *value)
{
    struct elf_section section;
    Elf64_Rela entry;

    for (uint32_t i = 1; elf_view_section(view, i, &section); i++) {
        if (section.header.sh_type != SHT_RELA || !(section.header.sh_flags & SHF_ALLOC))
            continue;
        for (size_t at = 0; at + sizeof(entry) <= section.bytes.size; at += sizeof(entry)) {
            memcpy(&entry, section.bytes.data + at, sizeof(entry));
            if (entry.r_offset == place && ELF64_R_SYM(entry.r_info) == 0) {
                *value = (uint64_t)entry.r_addend;
                return true;
            }
        }
    }
    return false;
}

static uint64_t pointer_at(const struct elf_view *view, uint64_t place)
{
    uint64_t value = 0;

    if (view->type == ET_DYN && relocated(view, place, &value))
        return value;
    (void)pclntab_u64(elf_view_at(view, place), 0, &value);
    return value;
}

/* A linker script may have melted the section into another: look for its header there. */
static bool search_header(struct slice bytes, struct pclntab *table, uint64_t *offset)
{
    for (uint64_t at = 0; at + 72 <= bytes.size; at += 8) {
        const unsigned char *head = (const unsigned char *)bytes.data + at;
        if (head[3] == 0xff && head[2] == 0xff && head[1] == 0xff && head[0] >= 0xf0 &&
            pclntab_init(table, slice_part(bytes, at, bytes.size - at)) == 0) {
            *offset = at;
            return true;
        }
    }
    return false;
}

static bool find_table(struct pclntab *table, const struct elf_view *view, uint64_t *address)
{
    static const char *const names[] = {".gopclntab", ".data.rel.ro.gopclntab"};
    static const char *const melted[] = {".data.rel.ro", ".rodata"};
    struct elf_section section;
    uint64_t offset;

    for (size_t i = 0; i < 2; i++) {
        if (elf_view_find(view, names[i], &section) && pclntab_init(table, section.bytes) == 0) {
            *address = section.header.sh_addr;
            return true;
        }
    }
    if (!elf_view_find(view, ".go.buildinfo", &section) &&
        !elf_view_find(view, ".note.go.buildid", &section))
        return false;
    for (size_t i = 0; i < 2; i++) {
        if (elf_view_find(view, melted[i], &section) &&
            search_header(section.bytes, table, &offset)) {
            *address = section.header.sh_addr + offset;
            return true;
        }
    }
    return false;
}

static uint64_t place_in_relocations(struct slice relocations, uint64_t address)
{
    Elf64_Rela entry;

    for (size_t at = 0; at + sizeof(entry) <= relocations.size; at += sizeof(entry)) {
        memcpy(&entry, relocations.data + at, sizeof(entry));
        if ((uint64_t)entry.r_addend == address && ELF64_R_SYM(entry.r_info) == 0)
            return entry.r_offset;
    }
    return 0;
}

static uint64_t place_in_data(const struct elf_section *section, uint64_t address)
{
    uint64_t word;

    for (size_t at = 0; at + sizeof(word) <= section->bytes.size; at += sizeof(word)) {
        memcpy(&word, section->bytes.data + at, sizeof(word));
        if (word == address)
            return section->header.sh_addr + at;
    }
    return 0;
}

/* moduledata begins with the address of the pclntab: in a relocation, or in plain data. */
static uint64_t find_moduledata(const struct elf_view *view, uint64_t pclntab_address)
{
    struct elf_section section;
    uint64_t place = 0;

    for (uint32_t i = 1; place == 0 && elf_view_section(view, i, &section); i++) {
        bool data = (section.header.sh_flags & SHF_WRITE) ||
                    slice_equals(section.name, slice_of(".go.module"));
        if (view->type == ET_DYN && section.header.sh_type == SHT_RELA)
            place = place_in_relocations(section.bytes, pclntab_address);
        else if (view->type != ET_DYN && data)
            place = place_in_data(&section, pclntab_address);
    }
    return place;
}

/* Where inlined calls are counted from.  Go 1.26 began to keep the end of the pclntab after it,
 * which later versions, with other fields before, can be told by. */
static uint64_t find_gofunc(const struct pclntab *table, const struct elf_view *view,
                            uint64_t moduledata, uint64_t pclntab_address)
{
    if (table->layout == PCLNTAB_1_18)
        return pointer_at(view, moduledata + 8 * WORD_GOFUNC_1_18);
    uint64_t end = pclntab_address + table->table.size;
    for (uint64_t word = WORD_GOFUNC_1_20; word + 1 < MODULEDATA_WORDS; word++) {
        if (pointer_at(view, moduledata + 8 * (word + 1)) == end)
            return pointer_at(view, moduledata + 8 * word);
    }
    return pointer_at(view, moduledata + 8 * WORD_GOFUNC_1_20);
}

/* "go1.13.8" gives 13; 0 when the file does not say.  Before 1.18, .go.buildinfo holds the address
 * of a Go string (address, length) at byte 16. */
static long minor_version(const struct elf_view *view)
{
    struct elf_section section;
    uint64_t place = 0, text = 0;
    char digits[4] = "";

    if (!elf_view_find(view, ".go.buildinfo", &section) || !pclntab_u64(section.bytes, 16, &place))
        return 0;
    if (view->type == ET_DYN)
        place = pointer_at(view, section.header.sh_addr + 16);
    text = pointer_at(view, place);
    struct slice version = slice_part(elf_view_at(view, text), 0, 6);
    if (version.size != 6 || memcmp(version.data, "go1.", 4) != 0)
        return 0;
    memcpy(digits, version.data + 4, 2);
    return strtol(digits, NULL, 10);
}

int go_module_find(struct pclntab *table, const struct elf_view *view)
{
    uint64_t address = 0;

    if (!find_table(table, view, &address))
        return -ENOENT;
    table->memory = memory_of;
    table->context = (void *)view;
    if (table->layout == PCLNTAB_1_2) /* .go.buildinfo is as old as 1.13 */
        table->before_1_13 = minor_version(view) < 13;
    if (table->layout < PCLNTAB_1_18)
        return 0;
    uint64_t moduledata = find_moduledata(view, address);
    if (moduledata == 0)
        return 0;
    uint64_t text = pointer_at(view, moduledata + 8 * WORD_TEXT);
    if (text != 0)
        table->text_start = text;
    table->inline_base = find_gofunc(table, view, moduledata, address);
    return 0;
}
