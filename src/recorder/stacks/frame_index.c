/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/vec.h"
#include "stacks/code_tables.h"

#define ENTRIES_MAX ((size_t)8 << 20)
#define TABLES_MAX  ((uint64_t)256 << 20)

static int by_start(const void *left, const void *right)
{
    const struct eh_entry *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

static bool make_index(struct code_tables *tables)
{
    VEC(struct eh_entry) entries = {0};
    struct eh_entry entry;
    uint32_t offset = 0;
    while (entries.count < ENTRIES_MAX && eh_frame_next(&tables->listed, &offset, &entry)) {
        if (!vec_push(&entries, entry))
            break;
    }
    if (entries.count == 0) {
        vec_free(&entries);
        return false;
    }
    qsort(entries.items, entries.count, sizeof(entries.items[0]), by_start);
    tables->index = entries.items;
    tables->index_count = entries.count;
    return true;
}

static bool read_section(struct code_tables *tables, const struct image_source *source,
                         const struct elf_section *section, struct image_part *kept)
{
    const Elf64_Shdr *header = &section->header;
    if (section->bytes.size == 0 || header->sh_size > TABLES_MAX ||
        (header->sh_flags & SHF_COMPRESSED) ||
        !code_image_fill(&tables->image, source, header->sh_offset, header->sh_size))
        return false;
    const uint8_t *at = tables->image.bytes + header->sh_offset;
    tables->listed = (struct eh_view){.header = at,
                                      .low = at,
                                      .high = at + header->sh_size,
                                      .slide = header->sh_addr - (uint64_t)(uintptr_t)at};
    *kept = (struct image_part){header->sh_offset, header->sh_size};
    return true;
}

/* .debug_frame has what .eh_frame has not: programs compiled without the latter still have it
 * for their start.  Go's is of no use, its own table has more. */
struct image_part frame_index_read(struct code_tables *tables, const struct elf_view *view,
                                   const struct image_source *source)
{
    struct elf_section section;
    struct image_part kept = {0, 0};
    if (!tables->has_frames && elf_view_find(view, ".eh_frame", &section) &&
        read_section(tables, source, &section, &kept) && make_index(tables))
        return kept;
    if (!tables->is_go && elf_view_find(view, ".debug_frame", &section) &&
        read_section(tables, source, &section, &kept)) {
        tables->listed.is_debug_frame = true;
        if (make_index(tables))
            return kept;
    }
    return (struct image_part){0, 0};
}
