/* go_module.h - finds Go's pclntab and its related data in an ELF file, stripped or not,
 * position-independent or not. */
#pragma once

#include "symbols/elf/elf_view.h"
#include "symbols/go/pclntab.h"

/* Returns 0, or -ENOENT if this is not a Go program.  `view` must outlive the table, which reads
 * its inlined calls through it. */
int go_module_find(struct pclntab *table, const struct elf_view *view);
