/* program_file.h - the executable file of a process, and its address in the process. */
#pragma once

#include "model/memory/breakdown.h"
#include "symbols/elf/elf_image.h"
#include "symbols/elf/elf_view.h"

struct program_file {
    struct elf_image image;
    struct elf_view view;
    uint64_t bias; /* address in the process minus address in the file */
};

/* Returns 0 or -errno. */
int program_file_open(struct program_file *file, const struct breakdown *breakdown);
void program_file_close(struct program_file *file);

/* Returns the address, in the process, of a data symbol of .symtab or .dynsym; 0 if there is
 * none. */
uint64_t program_file_symbol(const struct program_file *file, const char *name);
