/* module.h - everything known about one module, read when it is first needed. */
#pragma once

#include "symbols/dwarf/dwarf_lines.h"
#include "symbols/elf/elf_symbols.h"
#include "symbols/elf/module_files.h"
#include "symbols/go/pclntab.h"
#include "symbols/lookup/text_pool.h"

struct elf_module;

/* Finds and opens the files.  Returns NULL when out of memory.  If no file was found, the module
 * names nothing. */
struct elf_module *module_create(const struct resolver_module *wanted);
void module_destroy(struct elf_module *module);

bool module_is(const struct elf_module *module, const struct resolver_module *wanted);

/* Returns false once a file was rewritten: destroy the module and, if still needed, create it
 * again. */
bool module_is_intact(const struct elf_module *module);

/* Like resolver_lookup; texts go into `texts`. */
size_t module_lookup(struct elf_module *module, struct text_pool *texts, uint64_t address,
                     struct resolved out[RESOLVED_MAX]);

/* Like resolver_function_start. */
uint64_t module_function_start(const struct elf_module *module, uint64_t address);

/* Return about how much memory is held: all of it, and the part that module_forget frees. */
size_t module_bytes(const struct elf_module *module);
size_t module_forgettable_bytes(const struct elf_module *module);
void module_forget(struct elf_module *module);
/* Frees all that was made of its DWARF, until the next look-up; its files stay open. */
void module_rest(struct elf_module *module);
