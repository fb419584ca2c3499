/* elf_mutator.h - mutations that know an ELF file: its header, segments, sections and their bytes.
 *
 * libFuzzer's own mutations rarely change a field without breaking the magic, a size or an offset
 * that something else depends on.  Half of the mutations here set one field to a number near a
 * bound; the other half let libFuzzer work on the bytes of one section alone. */
#pragma once

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static uint64_t mutator_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* A number near a bound. */
static uint64_t mutator_number(unsigned *seed, size_t size, uint64_t old)
{
    uint64_t const bounds[] = {0,       1,       size,       size - 1,   size / 2,  old + 1,
                               old - 1, old + 8, UINT32_MAX, UINT64_MAX, INT64_MAX, old ^ 0x80};
    return bounds[mutator_random(seed) % (sizeof(bounds) / sizeof(bounds[0]))];
}

/* Sets one of `count` records' fields, of `width` bytes. */
static void mutate_record(uint8_t *data, size_t size, unsigned *seed, uint64_t at, uint64_t count,
                          const uint8_t fields[][2], size_t field_count, size_t record)
{
    uint64_t old = 0, fresh;
    if (count == 0 || at > size || record > size - at)
        return;
    uint64_t const room = (size - at) / record;
    uint8_t const *field = fields[mutator_random(seed) % field_count];
    uint8_t *place =
        data + at + mutator_random(seed) % (count < room ? count : room) * record + field[0];
    memcpy(&old, place, field[1]);
    fresh = mutator_number(seed, size, old);
    memcpy(place, &fresh, field[1]);
}

#define FIELD(type, name)                                                                          \
    {                                                                                              \
        offsetof(type, name), sizeof(((type *)0)->name)                                            \
    }

/* A section's bytes, mutated in place. */
static void mutate_section(uint8_t *data, size_t size, unsigned *seed, const Elf64_Ehdr *head)
{
    Elf64_Shdr section;
    if (head->e_shnum == 0 || head->e_shoff > size)
        return;
    uint64_t const at = head->e_shoff + mutator_random(seed) % head->e_shnum * sizeof(section);
    if (at > size || sizeof(section) > size - at)
        return;
    memcpy(&section, data + at, sizeof(section));
    if (section.sh_type == SHT_NOBITS || section.sh_offset >= size || section.sh_size == 0 ||
        section.sh_size > size - section.sh_offset)
        return;
    if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) {
        static const uint8_t fields[][2] = {FIELD(Elf64_Sym, st_name), FIELD(Elf64_Sym, st_info),
                                            FIELD(Elf64_Sym, st_shndx), FIELD(Elf64_Sym, st_value),
                                            FIELD(Elf64_Sym, st_size)};
        mutate_record(data, size, seed, section.sh_offset, section.sh_size / sizeof(Elf64_Sym),
                      fields, 5, sizeof(Elf64_Sym));
        return;
    }
    LLVMFuzzerMutate(data + section.sh_offset, section.sh_size, section.sh_size);
}

/* The size stays, but for one time in sixteen. */
static size_t mutate_elf(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static const uint8_t of_head[][2] = {FIELD(Elf64_Ehdr, e_type),  FIELD(Elf64_Ehdr, e_phoff),
                                         FIELD(Elf64_Ehdr, e_shoff), FIELD(Elf64_Ehdr, e_phnum),
                                         FIELD(Elf64_Ehdr, e_shnum), FIELD(Elf64_Ehdr, e_shstrndx)};
    static const uint8_t of_section[][2] = {
        FIELD(Elf64_Shdr, sh_name), FIELD(Elf64_Shdr, sh_type),     FIELD(Elf64_Shdr, sh_flags),
        FIELD(Elf64_Shdr, sh_addr), FIELD(Elf64_Shdr, sh_offset),   FIELD(Elf64_Shdr, sh_size),
        FIELD(Elf64_Shdr, sh_link), FIELD(Elf64_Shdr, sh_addralign)};
    static const uint8_t of_segment[][2] = {FIELD(Elf64_Phdr, p_type),  FIELD(Elf64_Phdr, p_offset),
                                            FIELD(Elf64_Phdr, p_vaddr), FIELD(Elf64_Phdr, p_filesz),
                                            FIELD(Elf64_Phdr, p_memsz), FIELD(Elf64_Phdr, p_flags)};
    Elf64_Ehdr head;
    if (size < sizeof(head) || memcmp(data, ELFMAG, SELFMAG) != 0 ||
        mutator_random(&seed) % 16 == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    memcpy(&head, data, sizeof(head));
    switch (mutator_random(&seed) % 8) {
    case 0:
        mutate_record(data, size, &seed, 0, 1, of_head, 6, sizeof(head));
        break;
    case 1:
        mutate_record(data, size, &seed, head.e_phoff, head.e_phnum, of_segment, 6,
                      sizeof(Elf64_Phdr));
        break;
    case 2:
    case 3:
        mutate_record(data, size, &seed, head.e_shoff, head.e_shnum, of_section, 8,
                      sizeof(Elf64_Shdr));
        break;
    default:
        mutate_section(data, size, &seed, &head);
        break;
    }
    return size;
}
