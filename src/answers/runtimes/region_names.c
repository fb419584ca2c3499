/* SPDX-License-Identifier: Apache-2.0 */
#include "runtimes/region_names.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "memoir.h"

#define HEAD_BYTES 4096u
#define NOTES_MAX  65536u
#define PAGE       ((uint64_t)4096)
#define TRIES      5
#define OWNER      "memoir.area"
#define NOTE_BYTES 32u /* head of three words, owner, version, distance */

static size_t padded(size_t size, size_t align)
{
    return (size + align - 1) & ~(align - 1);
}

/* The address of the table, by the notes that lie at `address`. */
static uint64_t find_in_notes(struct slice notes, uint64_t address, size_t align)
{
    for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size;) {
        Elf64_Nhdr head;
        uint32_t version;
        int32_t distance;
        memcpy(&head, notes.data + at, sizeof(head));
        size_t const size =
            padded(sizeof(head) + (size_t)head.n_namesz, align) + padded(head.n_descsz, align);
        if (size > notes.size - at)
            return 0;
        const char *owner = notes.data + at + sizeof(head);
        if (size == NOTE_BYTES && head.n_namesz == sizeof(OWNER) && head.n_descsz == 8 &&
            memcmp(owner, OWNER, sizeof(OWNER)) == 0) {
            memcpy(&version, owner + sizeof(OWNER), sizeof(version));
            memcpy(&distance, owner + sizeof(OWNER) + 4, sizeof(distance));
            return version == 1 ? address + at + NOTE_BYTES - 4 + (uint64_t)(int64_t)distance : 0;
        }
        at += size;
    }
    return 0;
}

static uint64_t look_in_segment(struct slice head, uint64_t base, const Elf64_Phdr *segment,
                                elf_bytes_fn read, void *context)
{
    uint64_t const offset = segment->p_offset, size = segment->p_filesz;
    size_t const align = segment->p_align == 8 ? 8 : 4;
    if (size == 0 || size > NOTES_MAX)
        return 0;
    if (offset <= head.size && size <= head.size - offset)
        return find_in_notes((struct slice){head.data + offset, (size_t)size}, base + offset,
                             align);
    char *beyond = malloc((size_t)size);
    uint64_t const found =
        beyond && read && read(context, base + offset, beyond, (size_t)size)
            ? find_in_notes((struct slice){beyond, (size_t)size}, base + offset, align)
            : 0;
    free(beyond);
    return found;
}

/* Notes lie in the first segment, where offsets in the file are distances in memory. */
uint64_t region_names_find(struct slice head, uint64_t base, elf_bytes_fn read, void *context)
{
    Elf64_Ehdr file;
    uint64_t found = 0;
    if (head.size < sizeof(file) || memcmp(head.data, ELFMAG, SELFMAG) != 0 ||
        head.data[EI_CLASS] != ELFCLASS64)
        return 0;
    memcpy(&file, head.data, sizeof(file));
    for (uint64_t i = 0; i < file.e_phnum && found == 0; i++) {
        uint64_t const at = file.e_phoff + i * sizeof(Elf64_Phdr);
        Elf64_Phdr segment;
        if (file.e_phoff > head.size || at + sizeof(segment) > head.size)
            break;
        memcpy(&segment, head.data + at, sizeof(segment));
        if (segment.p_type == PT_NOTE)
            found = look_in_segment(head, base, &segment, read, context);
    }
    return found;
}

/* ---- reading the table ---- */

static bool is_named(const struct memoir_region_name *name)
{
    return name->start < name->end && name->name[0] && memchr(name->name, '\0', sizeof(name->name));
}

/* The part of the table in use, as it was at one time; false when it never held still. */
static bool read_table(const struct process_bytes *process, uint64_t address,
                       struct memoir_region_table *table)
{
    for (unsigned i = 0; i < TRIES; i++) {
        unsigned changes;
        size_t const head = offsetof(struct memoir_region_table, names);
        if (!process_bytes_read(process, address, table, head) || table->used > MEMOIR_REGIONS_MAX)
            return false;
        size_t const size = table->used * sizeof(table->names[0]);
        if (size > 0 && !process_bytes_read(process, address + head, table->names, size))
            return false;
        if (process_bytes_read(process, address + offsetof(struct memoir_region_table, changes),
                               &changes, sizeof(changes)) &&
            changes == table->changes && changes % 2 == 0)
            return true;
    }
    return false;
}

static void claim_names(struct breakdown *breakdown, const struct process_bytes *process,
                        uint64_t address)
{
    struct memoir_region_table table;
    if (!read_table(process, address, &table))
        return;
    for (unsigned i = 0; i < table.used; i++) {
        const struct memoir_region_name *one = &table.names[i];
        char name[64];
        if (!is_named(one))
            continue;
        name_without_number(one->name, strlen(one->name), name, sizeof(name));
        (void)breakdown_claim(
            breakdown,
            (struct memory_claim){one->start & ~(PAGE - 1), (one->end + PAGE - 1) & ~(PAGE - 1),
                                  SECTION_NAMED, breakdown_text(breakdown, "%s", name), "",
                                  EVIDENCE_REGISTRY});
    }
    if (table.missed)
        breakdown_note(breakdown, "%u names of regions had no room in the program's table",
                       table.missed);
}

static bool read_process(void *context, uint64_t address, void *to, size_t size)
{
    return process_bytes_read(context, address, to, size);
}

void region_names_look(struct breakdown *breakdown, const struct process_bytes *process)
{
    for (size_t i = 0; i < breakdown->regions.count; i++) {
        const struct memory_region *region = &breakdown->regions.items[i];
        char head[HEAD_BYTES];
        if (region->offset || region->name[0] != '/' || region->rights[0] != 'r' ||
            region->rights[3] != 'p' || region->bytes.rss == 0 || region->bytes.size < HEAD_BYTES ||
            !process_bytes_read(process, region->start, head, sizeof(head)))
            continue;
        uint64_t const table = region_names_find((struct slice){head, sizeof(head)}, region->start,
                                                 read_process, (void *)(uintptr_t)process);
        if (table)
            claim_names(breakdown, process, table);
    }
}
