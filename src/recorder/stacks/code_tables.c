/* SPDX-License-Identifier: Apache-2.0 */
#include "stacks/code_tables.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "machine/executables.h"
#include "symbols/go/go_module.h"

#define IDENTITY_BYTES 4096u

static bool find_segment(const struct elf_view *view, uint32_t type, Elf64_Phdr *segment)
{
    for (uint32_t i = 0; elf_view_segment(view, i, segment); i++) {
        if (segment->p_type == type)
            return true;
    }
    return false;
}

/* The end of .eh_frame: by its section, else that of the segment. */
static uint64_t frames_end(const struct elf_view *view, struct image_part frames)
{
    struct elf_section section;
    if (elf_view_find(view, ".eh_frame", &section) && section.header.sh_offset == frames.offset &&
        section.header.sh_size <= frames.size)
        return frames.offset + section.header.sh_size;
    return frames.offset + frames.size;
}

/* Both .eh_frame_hdr and .eh_frame: linkers put either first. */
static void read_eh_frame(struct code_tables *tables, const struct elf_view *view,
                          const struct image_source *source, struct image_part *kept)
{
    Elf64_Phdr segment;
    struct image_part header, frames;
    int32_t distance;
    if (!find_segment(view, PT_GNU_EH_FRAME, &segment) ||
        !elf_offset_of(view, segment.p_vaddr, &header) || header.size < 8 ||
        !code_image_fill(&tables->image, source, header.offset, 8))
        return;
    memcpy(&distance, tables->image.bytes + header.offset + 4, sizeof(distance));
    uint64_t address = segment.p_vaddr + 4 + (uint64_t)(int64_t)distance;
    /* Relative to itself, four bytes, and the table relative to the header: what every linker
     * writes. */
    if (tables->image.bytes[header.offset + 1] != 0x1b || !elf_offset_of(view, address, &frames))
        return;
    uint64_t low = header.offset < frames.offset ? header.offset : frames.offset;
    uint64_t high = frames_end(view, frames);
    if (header.offset + segment.p_filesz > high)
        high = header.offset + segment.p_filesz;
    if (high > tables->image.size || high <= low ||
        !code_image_fill(&tables->image, source, low, high - low))
        return;
    const uint8_t *at = tables->image.bytes;
    tables->frames =
        (struct eh_view){.header = at + header.offset,
                         .low = at + low,
                         .high = at + high,
                         .slide = segment.p_vaddr - (uint64_t)(uintptr_t)(at + header.offset)};
    tables->has_frames = true;
    *kept = (struct image_part){low, high - low};
}

static bool is_go_file(const struct elf_view *view)
{
    static const char *const marks[] = {".gopclntab", ".data.rel.ro.gopclntab", ".go.buildinfo",
                                        ".note.go.buildid"};
    struct elf_section section;
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        if (elf_view_find(view, marks[i], &section))
            return true;
    }
    return false;
}

/* What go_module_find looks at: data, relocations, and Go's own sections. */
static bool matters_to_go(const struct elf_section *section)
{
    static const char *const names[] = {".gopclntab", ".rodata", ".go.buildinfo", ".go.module"};
    if (section->header.sh_type == SHT_NOBITS || !(section->header.sh_flags & SHF_ALLOC))
        return false;
    if (section->header.sh_type == SHT_RELA || (section->header.sh_flags & SHF_WRITE))
        return true;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (slice_equals(section->name, slice_of(names[i])))
            return true;
    }
    return false;
}

static void read_go(struct code_tables *tables, const struct elf_view *view,
                    const struct image_source *source, struct image_part *kept)
{
    struct elf_section section;
    if (!is_go_file(view))
        return;
    for (uint32_t i = 1; elf_view_section(view, i, &section); i++) {
        if (matters_to_go(&section))
            (void)code_image_fill(&tables->image, source, section.header.sh_offset,
                                  section.header.sh_size);
    }
    if (go_module_find(&tables->go, view) < 0 ||
        !pclntab_span(&tables->go, &tables->go_low, &tables->go_high))
        return;
    tables->is_go = true;
    tables->go.memory = NULL; /* inlined calls are for those who look up names */
    *kept = (struct image_part){
        (uint64_t)((const uint8_t *)tables->go.table.data - tables->image.bytes),
        tables->go.table.size};
}

uint64_t code_identity(const struct image_source *source)
{
    uint8_t bytes[IDENTITY_BYTES];
    size_t size = source->read(source->context, 0, bytes, sizeof(bytes));
    if (size < sizeof(Elf64_Ehdr) || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return 0;
    uint64_t const about = hash_mix(source->size + hash_mix(source->stamp));
    uint64_t const identity = hash_mix(hash_bytes(bytes, size) ^ about);
    return identity ? identity : 1;
}

static void copy_segments(struct code_tables *tables, const struct elf_view *view, bool executable)
{
    Elf64_Phdr segment;
    for (uint32_t i = 0; elf_view_segment(view, i, &segment); i++) {
        if (segment.p_type == PT_LOAD && ((segment.p_flags & PF_X) != 0) == executable &&
            tables->segment_count < CODE_SEGMENTS_MAX)
            tables->segments[tables->segment_count++] = segment;
    }
}

static int by_offset(const void *left, const void *right)
{
    const struct image_part *a = left, *b = right;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void keep_tables(struct code_tables *tables, struct image_part parts[3])
{
    tables->bytes = tables->index_count * sizeof(tables->index[0]);
    for (unsigned i = 0; i < 3; i++)
        tables->bytes += parts[i].size;
    qsort(parts, 3, sizeof(parts[0]), by_offset);
    code_image_keep(&tables->image, parts, 3);
}

int code_tables_init(struct code_tables *tables, const struct image_source *source)
{
    struct elf_view view;
    Elf64_Ehdr head;
    struct image_part kept[3] = {{0, 0}, {0, 0}, {0, 0}};
    memset(tables, 0, sizeof(*tables));
    int err = code_image_open(&tables->image, source, &view);
    if (err < 0)
        return err;
    memcpy(&head, tables->image.bytes, sizeof(head));
    if (head.e_machine != MACHINE_ELF) {
        code_tables_fini(tables);
        return -EINVAL;
    }
    tables->entry = head.e_entry;
    elf_view_build_id(&view, tables->build_id);
    copy_segments(tables, &view, true);
    copy_segments(tables, &view, false);
    read_eh_frame(tables, &view, source, &kept[0]);
    read_go(tables, &view, source, &kept[1]);
    kept[2] = frame_index_read(tables, &view, source);
    keep_tables(tables, kept);
    return 0;
}

void code_tables_shrink(struct code_tables *tables)
{
    code_tables_fini(tables);
    tables->index = NULL;
    tables->index_count = tables->bytes = 0;
    tables->has_frames = tables->is_go = false;
}

void code_tables_fini(struct code_tables *tables)
{
    free(tables->index);
    code_image_close(&tables->image);
}
