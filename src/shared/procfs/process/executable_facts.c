/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/executable_facts.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "machine/executables.h"

static void read_interpreter(int fd, const Elf64_Ehdr *elf, char *name, size_t size)
{
    for (unsigned i = 0; i < elf->e_phnum; i++) {
        Elf64_Phdr segment;
        if (pread(fd, &segment, sizeof(segment), (off_t)(elf->e_phoff + i * sizeof(segment))) !=
            sizeof(segment))
            return;
        if (segment.p_type != PT_INTERP)
            continue;
        ssize_t got = pread(fd, name, size - 1, (off_t)segment.p_offset);
        name[got > 0 ? got : 0] = '\0';
        return;
    }
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
        read_interpreter(fd, &elf, facts.interpreter, sizeof(facts.interpreter));
    return facts;
}
