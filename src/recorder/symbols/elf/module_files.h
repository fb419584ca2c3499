/* module_files.h - finds the files that describe a module: the module itself, its separate debug
 * file, and the file to which dwz moved shared debug information. */
#pragma once

#include "symbols/elf/elf_image.h"
#include "symbols/elf/elf_view.h"
#include "symbols/lookup/resolver.h"

struct module_files {
    struct elf_image module, debug, alternate; /* Each may be ELF_IMAGE_NONE. */
    struct elf_view module_view, debug_view;   /* Of the images that exist. */
};

/* Opens the files that exist.  A file with another build-id than wanted is not used; a debug file
 * must have the module's build-id, or the CRC in the module's .gnu_debuglink. */
void module_files_open(struct module_files *files, const struct resolver_module *module);
void module_files_close(struct module_files *files);

/* Returns false once one of the files was rewritten. */
bool module_files_are_intact(const struct module_files *files);
