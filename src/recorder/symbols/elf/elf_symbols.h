/* elf_symbols.h - the functions of a module by address, from its ELF symbol tables.
 *
 * Of several names for one range the one a person would choose wins: a sized function, not local,
 * few leading underscores.  A symbol without a size (assembler) reaches to the next symbol or the
 * end of its section, but never hides a sized one.  Addresses between functions have no name.
 * 32 bytes per function; names stay in the files, which must outlive the table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/elf/elf_view.h"
#include "symbols/lookup/range_index.h"

#define SYMBOL_SOURCES 3 /* debug file or module, minidebuginfo, dynamic symbols */

struct symbol_name {
    uint32_t source; /* which of name_tables */
    uint32_t offset; /* in it */
};

struct elf_symbols {
    struct range_index ranges; /* value: which of names */
    VEC(struct symbol_name) names;
    struct slice name_tables[SYMBOL_SOURCES];
};

/* Builds the table from the `count` views given, best source first, and from each its .symtab;
 * the dynamic symbols of `views[0]` only when it has no .symtab.  What cannot be read is left out;
 * -ENOMEM leaves an empty table. */
int elf_symbols_build(struct elf_symbols *symbols, const struct elf_view *const *views,
                      size_t count);
void elf_symbols_free(struct elf_symbols *symbols);

/* The raw name of the function at the address; empty when none is known. */
struct slice elf_symbols_find(const struct elf_symbols *symbols, uint64_t address);

size_t elf_symbols_bytes(const struct elf_symbols *symbols);
