/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/dwarf/debug_copy.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "symbols/elf/elf_view.h"

static const struct slice nothing = {"", 0};

struct copying {
    struct slice from;
    char *to;
    uint64_t left; /* bytes that may still be copied */
};

/* What passes the end of the file is left out, as elf_view does. */
static bool copy_part(struct copying *copying, uint64_t offset, uint64_t size)
{
    struct slice const part = slice_part(copying->from, offset, size);
    if (part.size > copying->left)
        return false;
    memcpy(copying->to + offset, part.data, part.size);
    copying->left -= part.size;
    return true;
}

/* The table of sections, whose first may say how many there are. */
static bool copy_headers(struct copying *copying, struct elf_view *view)
{
    struct slice const copy = {copying->to, copying->from.size};
    Elf64_Ehdr head;
    if (!copy_part(copying, 0, sizeof(head)))
        return false;
    memcpy(&head, copying->to, sizeof(head));
    if (!copy_part(copying, head.e_shoff, sizeof(Elf64_Shdr)) || elf_view_init(view, copy) < 0 ||
        !copy_part(copying, head.e_shoff, (uint64_t)view->section_count * sizeof(Elf64_Shdr)))
        return false;
    return elf_view_init(view, copy) == 0;
}

static bool copy_sections(struct copying *copying, const struct elf_view *view)
{
    struct elf_section section;
    for (uint32_t i = 1; elf_view_section(view, i, &section); i++) {
        if (section.header.sh_type != SHT_NOBITS && !(section.header.sh_flags & SHF_ALLOC) &&
            !copy_part(copying, section.header.sh_offset, section.header.sh_size))
            return false;
    }
    return true;
}

struct slice debug_copy_make(struct slice elf)
{
    struct elf_view view;
    if (elf.size < sizeof(Elf64_Ehdr))
        return nothing;
    void *room = mmap(NULL, elf.size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return nothing;
    struct copying copying = {.from = elf, .to = room, .left = DEBUG_COPY_MAX};
    if (copy_headers(&copying, &view) && copy_sections(&copying, &view))
        return (struct slice){room, elf.size};
    munmap(room, elf.size);
    return nothing;
}

void debug_copy_free(struct slice copy)
{
    if (copy.size > 0)
        munmap((void *)copy.data, copy.size);
}
