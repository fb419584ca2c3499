/* elf_view.h - a bounded look at an ELF file in memory (64 bit, little endian).
 *
 * Nothing is copied or allocated; every slice points into the given bytes and was checked to be
 * inside.  What does not fit counts as absent and is never cut. */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

#define ELF_BUILD_ID_HEX 129 /* 64 bytes in hex, and the NUL. */

struct elf_view {
    struct slice bytes;
    uint64_t sections_at, segments_at; /* File offsets. */
    uint32_t section_count, segment_count;
    uint16_t type; /* ET_EXEC, ET_DYN, ... */
    struct slice section_names;
};

struct elf_section {
    struct slice name;
    struct slice bytes; /* Empty for NOBITS, and for what passes the end of the file. */
    Elf64_Shdr header;
};

/* Returns 0, or -EINVAL if the bytes are not such a file. */
int elf_view_init(struct elf_view *view, struct slice bytes);

bool elf_view_section(const struct elf_view *view, uint32_t number, struct elf_section *out);
bool elf_view_find(const struct elf_view *view, const char *name, struct elf_section *out);
bool elf_view_find_type(const struct elf_view *view, uint32_t type, struct elf_section *out);
bool elf_view_segment(const struct elf_view *view, uint32_t number, Elf64_Phdr *out);

/* Returns the bytes that the file has for a virtual address, to the end of the segment's part in
 * the file; empty if there are none. */
struct slice elf_view_at(const struct elf_view *view, uint64_t address);

/* Writes the GNU build-id in lower-case hex; "" if there is none. */
void elf_view_build_id(const struct elf_view *view, char hex[ELF_BUILD_ID_HEX]);

/* Finds .gnu_debuglink: a plain file name (no '/') and the CRC-32 of that file. */
bool elf_view_debuglink(const struct elf_view *view, struct slice *name, uint32_t *crc);

/* Finds .gnu_debugaltlink (dwz): a path and the build-id of that file. */
bool elf_view_altlink(const struct elf_view *view, struct slice *path,
                      char build_id[ELF_BUILD_ID_HEX]);

/* Returns the text at `offset` of a string table, without its NUL; empty if it does not end
 * inside. */
struct slice elf_text(struct slice table, uint64_t offset);

/* Returns `size` bytes at `offset`; an empty slice if they are not all inside. */
struct slice slice_part(struct slice bytes, uint64_t offset, uint64_t size);
