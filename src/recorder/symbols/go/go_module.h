/* go_module.h - finds Go's pclntab and what belongs to it in an ELF file, stripped or not,
 * position-independent or not. */
#pragma once

#include "symbols/elf/elf_view.h"
#include "symbols/go/pclntab.h"

/* 0, or -ENOENT when this is no Go program.  `view` must outlive the table, which reads its
 * inlined calls through it. */
int go_module_find(struct pclntab *table, const struct elf_view *view);
