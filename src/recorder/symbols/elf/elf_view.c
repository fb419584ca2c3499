/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/elf/elf_view.h"

#include <errno.h>

struct slice slice_part(struct slice bytes, uint64_t offset, uint64_t size)
{
    if (offset > bytes.size || size > bytes.size - offset)
        return (struct slice){"", 0};
    return (struct slice){bytes.data + offset, size};
}

struct slice elf_text(struct slice table, uint64_t offset)
{
    if (offset >= table.size)
        return (struct slice){"", 0};
    const char *text = table.data + offset;
    const char *end = memchr(text, '\0', table.size - offset);
    return end ? (struct slice){text, (size_t)(end - text)} : (struct slice){"", 0};
}

static bool copy_at(struct slice bytes, uint64_t offset, void *out, size_t size)
{
    struct slice part = slice_part(bytes, offset, size);
    if (part.size != size)
        return false;
    memcpy(out, part.data, size);
    return true;
}

/* How many `size`-byte records from `at` can there be, at most `count`? */
static uint32_t fitting(struct slice bytes, uint64_t at, uint64_t count, size_t size)
{
    if (at == 0 || at >= bytes.size)
        return 0;
    uint64_t room = (bytes.size - at) / size;
    uint64_t fits = count < room ? count : room;
    return fits > UINT32_MAX ? UINT32_MAX : (uint32_t)fits;
}

int elf_view_init(struct elf_view *view, struct slice bytes)
{
    Elf64_Ehdr head;
    Elf64_Shdr zeroth = {0};

    *view = (struct elf_view){.bytes = bytes};
    if (!copy_at(bytes, 0, &head, sizeof(head)) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB)
        return -EINVAL;
    view->type = head.e_type;
    if (head.e_phentsize == sizeof(Elf64_Phdr)) {
        view->segments_at = head.e_phoff;
        view->segment_count = fitting(bytes, head.e_phoff, head.e_phnum, sizeof(Elf64_Phdr));
    }
    if (head.e_shentsize != sizeof(Elf64_Shdr) || head.e_shoff == 0)
        return 0;
    /* Numbers too large for the header live in section 0. */
    (void)copy_at(bytes, head.e_shoff, &zeroth, sizeof(zeroth));
    uint64_t count = head.e_shnum != 0 ? head.e_shnum : zeroth.sh_size;
    uint32_t names = head.e_shstrndx != SHN_XINDEX ? head.e_shstrndx : zeroth.sh_link;
    view->sections_at = head.e_shoff;
    view->section_count = fitting(bytes, head.e_shoff, count, sizeof(Elf64_Shdr));

    struct elf_section section;
    if (elf_view_section(view, names, &section))
        view->section_names = section.bytes;
    return 0;
}

bool elf_view_section(const struct elf_view *view, uint32_t number, struct elf_section *out)
{
    if (number >= view->section_count ||
        !copy_at(view->bytes, view->sections_at + (uint64_t)number * sizeof(Elf64_Shdr),
                 &out->header, sizeof(out->header)))
        return false;
    out->name = elf_text(view->section_names, out->header.sh_name);
    out->bytes = out->header.sh_type == SHT_NOBITS
                     ? (struct slice){"", 0}
                     : slice_part(view->bytes, out->header.sh_offset, out->header.sh_size);
    return true;
}

bool elf_view_find(const struct elf_view *view, const char *name, struct elf_section *out)
{
    for (uint32_t i = 1; i < view->section_count; i++) {
        if (elf_view_section(view, i, out) && slice_equals(out->name, slice_of(name)))
            return true;
    }
    return false;
}

bool elf_view_find_type(const struct elf_view *view, uint32_t type, struct elf_section *out)
{
    for (uint32_t i = 1; i < view->section_count; i++) {
        if (elf_view_section(view, i, out) && out->header.sh_type == type)
            return true;
    }
    return false;
}

bool elf_view_segment(const struct elf_view *view, uint32_t number, Elf64_Phdr *out)
{
    return number < view->segment_count &&
           copy_at(view->bytes, view->segments_at + (uint64_t)number * sizeof(*out), out,
                   sizeof(*out));
}

struct slice elf_view_at(const struct elf_view *view, uint64_t address)
{
    Elf64_Phdr segment;

    for (uint32_t i = 0; elf_view_segment(view, i, &segment); i++) {
        uint64_t inside = address - segment.p_vaddr;
        if (segment.p_type != PT_LOAD || address < segment.p_vaddr || inside >= segment.p_filesz)
            continue;
        struct slice bytes = slice_part(view->bytes, segment.p_offset, segment.p_filesz);
        if (inside < bytes.size)
            return slice_part(bytes, inside, bytes.size - inside);
    }
    return (struct slice){"", 0};
}

static void render_hex(struct slice id, char hex[ELF_BUILD_ID_HEX])
{
    static const char digits[] = "0123456789abcdef";
    size_t size = id.size < ELF_BUILD_ID_HEX / 2 ? id.size : ELF_BUILD_ID_HEX / 2;

    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)id.data[i];
        hex[2 * i] = digits[byte >> 4];
        hex[2 * i + 1] = digits[byte & 15];
    }
    hex[2 * size] = '\0';
}

static bool find_build_id(struct slice notes, uint64_t align, char hex[ELF_BUILD_ID_HEX])
{
    uint64_t pad = align == 8 ? 7 : 3, at = 0;
    Elf64_Nhdr note;

    while (copy_at(notes, at, &note, sizeof(note))) {
        uint64_t name_at = at + sizeof(note);
        uint64_t id_at = (name_at + note.n_namesz + pad) & ~pad;
        struct slice name = slice_part(notes, name_at, note.n_namesz);
        struct slice id = slice_part(notes, id_at, note.n_descsz);
        if (note.n_type == NT_GNU_BUILD_ID && name.size == 4 && memcmp(name.data, "GNU", 4) == 0 &&
            id.size > 0) {
            render_hex(id, hex);
            return true;
        }
        at = (id_at + note.n_descsz + pad) & ~pad; /* grows by 12 at least: the loop ends */
    }
    return false;
}

void elf_view_build_id(const struct elf_view *view, char hex[ELF_BUILD_ID_HEX])
{
    struct elf_section section;
    Elf64_Phdr segment;

    hex[0] = '\0';
    /* Sections first: in a separate debug file the segments point at bytes that are not there. */
    for (uint32_t i = 1; elf_view_section(view, i, &section); i++) {
        if (section.header.sh_type == SHT_NOTE &&
            find_build_id(section.bytes, section.header.sh_addralign, hex))
            return;
    }
    for (uint32_t i = 0; elf_view_segment(view, i, &segment); i++) {
        if (segment.p_type == PT_NOTE &&
            find_build_id(slice_part(view->bytes, segment.p_offset, segment.p_filesz),
                          segment.p_align, hex))
            return;
    }
}

bool elf_view_debuglink(const struct elf_view *view, struct slice *name, uint32_t *crc)
{
    struct elf_section link;

    if (!elf_view_find(view, ".gnu_debuglink", &link))
        return false;
    *name = elf_text(link.bytes, 0);
    if (name->size == 0 || memchr(name->data, '/', name->size) ||
        slice_equals(*name, slice_of("..")) || slice_equals(*name, slice_of(".")))
        return false;
    return copy_at(link.bytes, (name->size + 4) & ~(uint64_t)3, crc, sizeof(*crc));
}

bool elf_view_altlink(const struct elf_view *view, struct slice *path,
                      char build_id[ELF_BUILD_ID_HEX])
{
    struct elf_section link;

    if (!elf_view_find(view, ".gnu_debugaltlink", &link))
        return false;
    *path = elf_text(link.bytes, 0);
    if (path->size == 0 || path->size + 1 >= link.bytes.size)
        return false;
    render_hex(slice_part(link.bytes, path->size + 1, link.bytes.size - path->size - 1), build_id);
    return true;
}
