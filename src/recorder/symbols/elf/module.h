/* module.h - everything known about one module, read when it is first asked for. */
#pragma once

#include "symbols/dwarf/dwarf_lines.h"
#include "symbols/elf/elf_symbols.h"
#include "symbols/elf/module_files.h"
#include "symbols/go/pclntab.h"
#include "symbols/lookup/text_pool.h"

struct elf_module;

/* Finds and opens the files.  NULL when out of memory; a module of which no file was found names
 * nothing. */
struct elf_module *module_create(const struct resolver_module *wanted);
void module_destroy(struct elf_module *module);

bool module_is(const struct elf_module *module, const struct resolver_module *wanted);

/* False once a file was rewritten under us: destroy it and, if still wanted, create it anew. */
bool module_is_intact(const struct elf_module *module);

/* As resolver_lookup; texts go into `texts`. */
size_t module_lookup(struct elf_module *module, struct text_pool *texts, uint64_t address,
                     struct resolved out[RESOLVED_MAX]);

/* As resolver_function_start. */
uint64_t module_function_start(const struct elf_module *module, uint64_t address);

/* Memory held, about: all of it, and the part module_forget gives back. */
size_t module_bytes(const struct elf_module *module);
size_t module_forgettable_bytes(const struct elf_module *module);
void module_forget(struct elf_module *module);
/* Gives back all that was made of its DWARF until it is asked again; its files stay open. */
void module_rest(struct elf_module *module);
