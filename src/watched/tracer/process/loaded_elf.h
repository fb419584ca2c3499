/* loaded_elf.h - the ELF header of code that is loaded into this process. */
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

static inline bool is_elf_header(const ElfW(Ehdr) * elf)
{
    return memcmp(elf->e_ident, ELFMAG, SELFMAG) == 0 && elf->e_ident[EI_CLASS] == ELFCLASS64 &&
           elf->e_phentsize == sizeof(ElfW(Phdr)) &&
           elf->e_phoff + (uint64_t)elf->e_phnum * sizeof(ElfW(Phdr)) <= 4096;
}

/* Returns the ELF header: the start of the mapping, unless the file is very unusual.  If a program
 * has gaps between its segments, dl_find_object finds only one segment; then the kernel's address
 * of the program headers is used.  Returns NULL if the header is not found. */
static inline const ElfW(Ehdr) * loaded_elf_header(const struct dl_find_object *found)
{
    const ElfW(Ehdr) *elf = found->dlfo_map_start;
    uint64_t size = (uint64_t)found->dlfo_map_end - (uint64_t)found->dlfo_map_start;
    if (size >= sizeof(*elf) && is_elf_header(elf))
        return elf;
    const char *name = found->dlfo_link_map->l_name;
    uint64_t segments = getauxval(AT_PHDR);
    if ((name && name[0]) || segments % 4096 != sizeof(*elf))
        return NULL;
    elf = (const ElfW(Ehdr) *)(segments - sizeof(*elf));
    return is_elf_header(elf) ? elf : NULL;
}
