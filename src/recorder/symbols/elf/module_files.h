/* module_files.h - finds the files that describe a module: itself, its separate debug file, and the
 * file that dwz moved shared debug information to. */
#pragma once

#include "symbols/elf/elf_image.h"
#include "symbols/elf/elf_view.h"
#include "symbols/lookup/resolver.h"

struct module_files {
    struct elf_image module, debug, alternate; /* each may be ELF_IMAGE_NONE */
    struct elf_view module_view, debug_view;   /* of the images that are there */
};

/* Opens what there is.  A file with another build-id than wanted is not used; a debug file must
 * have the module's build-id, or the CRC its .gnu_debuglink names. */
void module_files_open(struct module_files *files, const struct resolver_module *module);
void module_files_close(struct module_files *files);

/* False once one of the files was rewritten under us. */
bool module_files_are_intact(const struct module_files *files);
