/* SPDX-License-Identifier: Apache-2.0 */
#include "runtimes/program_file.h"

#include <errno.h>
#include <string.h>

#include "foreign/foreign_file.h"

/* The first mapping of it is of the segment at its beginning. */
static bool find_bias(struct program_file *file, const struct breakdown *breakdown)
{
    const char *name = breakdown->program;
    Elf64_Phdr segment;
    uint64_t first = UINT64_MAX;
    for (uint32_t i = 0; elf_view_segment(&file->view, i, &segment); i++)
        if (segment.p_type == PT_LOAD && segment.p_vaddr - segment.p_offset < first)
            first = segment.p_vaddr - segment.p_offset;
    vec_each (region, &breakdown->regions) {
        size_t const size = strlen(name);
        if (strncmp(region->name, name, size) != 0 ||
            (region->name[size] && strcmp(region->name + size, " (deleted)") != 0) ||
            first == UINT64_MAX)
            continue;
        file->bias = region->start - region->offset - first;
        return true;
    }
    return false;
}

int program_file_open(struct program_file *file, const struct breakdown *breakdown)
{
    struct foreign_limits const limits = {.bytes_max = FOREIGN_ELF_MAX};
    int const fd = foreign_program_open(breakdown->pid, &limits, NULL);
    if (fd < 0)
        return fd;
    file->bias = 0;
    int err = elf_image_take(&file->image, fd);
    if (err == 0 && elf_view_init(&file->view, file->image.bytes) < 0)
        err = -EINVAL;
    if (err == 0 && !find_bias(file, breakdown))
        err = -ENOENT;
    if (err < 0)
        elf_image_close(&file->image);
    return err;
}

void program_file_close(struct program_file *file)
{
    elf_image_close(&file->image);
}

static uint64_t find_in(const struct program_file *file, uint32_t type, const char *name)
{
    struct elf_section table, names;
    struct slice const wanted = slice_of(name);
    if (!elf_view_find_type(&file->view, type, &table) ||
        !elf_view_section(&file->view, table.header.sh_link, &names))
        return 0;
    for (size_t at = 0; at + sizeof(Elf64_Sym) <= table.bytes.size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, table.bytes.data + at, sizeof(symbol));
        if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT &&
            slice_equals(elf_text(names.bytes, symbol.st_name), wanted))
            return symbol.st_value + file->bias;
    }
    return 0;
}

uint64_t program_file_symbol(const struct program_file *file, const char *name)
{
    uint64_t const found = find_in(file, SHT_SYMTAB, name);
    return found ? found : find_in(file, SHT_DYNSYM, name);
}
