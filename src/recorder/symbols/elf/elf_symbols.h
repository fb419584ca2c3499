/* elf_symbols.h - the functions of a module by address, from its ELF symbol tables.
 *
 * Of several names for one range, the one that a person would choose wins: a function with a size,
 * not local, with few leading underscores.  A symbol without a size (assembler) extends to the next
 * symbol or the end of its section, but never hides a symbol with a size.  Addresses between
 * functions have no name.  Takes 32 bytes per function; names are in the files, which must outlive
 * the table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/elf/elf_view.h"
#include "symbols/lookup/range_index.h"

#define SYMBOL_SOURCES 3 /* Debug file or module, minidebuginfo, dynamic symbols. */

struct symbol_name {
    uint32_t source; /* Index into name_tables. */
    uint32_t offset; /* In that table. */
};

struct elf_symbols {
    struct range_index ranges; /* Value: index into `names`. */
    VEC(struct symbol_name) names;
    struct slice name_tables[SYMBOL_SOURCES];
};

/* Builds the table from the .symtab of each of the `count` views, best source first; uses the
 * dynamic symbols of `views[0]` only if that has no .symtab.  What cannot be read is left out.
 * Returns 0, or -ENOMEM with an empty table. */
int elf_symbols_build(struct elf_symbols *symbols, const struct elf_view *const *views,
                      size_t count);
void elf_symbols_free(struct elf_symbols *symbols);

/* Returns the raw name of the function at the address; empty if unknown. */
struct slice elf_symbols_find(const struct elf_symbols *symbols, uint64_t address);

size_t elf_symbols_bytes(const struct elf_symbols *symbols);
