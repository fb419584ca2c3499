/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/executable_facts.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "machine/executables.h"

#define SEGMENTS_MAX  64u
#define LIBRARIES_MAX 256u
#define DYNAMIC_MOST  65536u /* bytes of entries; no program has as many */

static bool read_at(int fd, uint64_t offset, void *into, size_t size)
{
    return offset <= INT64_MAX && pread(fd, into, size, (off_t)offset) == (ssize_t)size;
}

/* Text that may end before `size`, because the file does. */
static void read_text(int fd, uint64_t offset, char *text, size_t size)
{
    ssize_t const got = offset <= INT64_MAX ? pread(fd, text, size - 1, (off_t)offset) : 0;
    text[got > 0 ? got : 0] = '\0';
}

struct segments {
    unsigned count;
    Elf64_Phdr items[SEGMENTS_MAX];
};

static struct segments read_segments(int fd, const Elf64_Ehdr *elf)
{
    struct segments segments = {.count = 0};
    while (segments.count < elf->e_phnum && segments.count < SEGMENTS_MAX &&
           read_at(fd, elf->e_phoff + segments.count * sizeof(Elf64_Phdr),
                   &segments.items[segments.count], sizeof(Elf64_Phdr)))
        segments.count++;
    return segments;
}

static const Elf64_Phdr *find_segment(const struct segments *segments, uint32_t type)
{
    for (unsigned i = 0; i < segments->count; i++)
        if (segments->items[i].p_type == type)
            return &segments->items[i];
    return NULL;
}

/* Where the file has what will be at `address`; 0: nowhere. */
static uint64_t offset_of(const struct segments *segments, uint64_t address)
{
    for (unsigned i = 0; i < segments->count; i++) {
        const Elf64_Phdr *const segment = &segments->items[i];
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < segment->p_filesz)
            return address - segment->p_vaddr + segment->p_offset;
    }
    return 0;
}

static bool is_sanitizer(const char *library)
{
    return strncmp(library, "libasan.so", strlen("libasan.so")) == 0 ||
           strncmp(library, "libtsan.so", strlen("libtsan.so")) == 0;
}

/* By what the loader will load: a program may well have such a name among its texts. */
static bool needs_sanitizer(int fd, const struct segments *segments)
{
    const Elf64_Phdr *const dynamic = find_segment(segments, PT_DYNAMIC);
    uint64_t needed[LIBRARIES_MAX], names = 0;
    unsigned count = 0;
    Elf64_Dyn entry;
    uint64_t const size = !dynamic                           ? 0
                          : dynamic->p_filesz < DYNAMIC_MOST ? dynamic->p_filesz
                                                             : DYNAMIC_MOST;
    for (uint64_t at = 0; at + sizeof(entry) <= size; at += sizeof(entry)) {
        if (!read_at(fd, dynamic->p_offset + at, &entry, sizeof(entry)) || entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_NEEDED && count < LIBRARIES_MAX)
            needed[count++] = entry.d_un.d_val;
        if (entry.d_tag == DT_STRTAB)
            names = offset_of(segments, entry.d_un.d_ptr);
    }
    for (unsigned i = 0; names && i < count; i++) {
        char name[16];
        read_text(fd, names + needed[i], name, sizeof(name));
        if (is_sanitizer(name))
            return true;
    }
    return false;
}

static void read_segment_facts(int fd, const Elf64_Ehdr *elf, struct executable_facts *facts)
{
    struct segments const segments = read_segments(fd, elf);
    const Elf64_Phdr *const interpreter = find_segment(&segments, PT_INTERP);
    if (interpreter)
        read_text(fd, interpreter->p_offset, facts->interpreter, sizeof(facts->interpreter));
    facts->needs_sanitizer = needs_sanitizer(fd, &segments);
}

struct executable_facts executable_facts_read(int fd)
{
    struct executable_facts facts = {0};
    Elf64_Ehdr elf = {0}; /* what is looked at of a 32-bit header stands at the same place */
    ssize_t const got = pread(fd, &elf, sizeof(elf), 0);
    if (got < (ssize_t)sizeof(Elf32_Ehdr) || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0)
        return facts;
    facts.bits = elf.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
    facts.is_ours = elf.e_machine == (facts.bits == 64 ? MACHINE_ELF : MACHINE_ELF_32);
    if (facts.bits == 64 && got == (ssize_t)sizeof(elf))
        read_segment_facts(fd, &elf, &facts);
    return facts;
}
