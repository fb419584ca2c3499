/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/elf/elf_symbols.h"

#include <errno.h>

#define SYMBOLS_MAX ((size_t)16 * 1024 * 1024) /* per table */

struct elf_candidate {
    uint64_t low, high; /* high == low: size unknown */
    uint64_t limit;     /* end of the section */
    struct symbol_name name;
    uint32_t demerit; /* smaller is the better name */
};

struct gathering {
    VEC(struct elf_candidate) candidates;
    struct elf_symbols *symbols;
    uint32_t source_count;
};

static struct slice name_of(const struct elf_symbols *symbols, struct symbol_name name)
{
    return elf_text(symbols->name_tables[name.source], name.offset);
}

/* Ordered by weight: what kind of symbol, who can see it, how private it looks, how long it is. */
static uint32_t demerit_of(const Elf64_Sym *symbol, struct slice name)
{
    uint32_t underscores = 0, length = name.size < 0xffff ? (uint32_t)name.size : 0xffff;
    while (underscores < 7 && underscores < name.size && name.data[underscores] == '_')
        underscores++;
    if (name.size > 2 && name.data[0] == '_' && (name.data[1] == 'Z' || name.data[1] == 'R'))
        underscores = 0; /* a mangled name is not private */
    uint32_t kind = ELF64_ST_TYPE(symbol->st_info) == STT_NOTYPE;
    uint32_t local = ELF64_ST_BIND(symbol->st_info) == STB_LOCAL;
    uint32_t weak = ELF64_ST_BIND(symbol->st_info) == STB_WEAK;
    return kind << 31 | local << 30 | underscores << 24 | weak << 20 | length;
}

/* Labels of compilers and annotators, and the marks between code and data on ARM. */
static bool is_noise(const Elf64_Sym *symbol, struct slice name)
{
    return name.size == 0 || (ELF64_ST_TYPE(symbol->st_info) == STT_NOTYPE &&
                              (name.data[0] == '.' || name.data[0] == '$'));
}

static bool is_function(const Elf64_Sym *symbol)
{
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

static bool consider(struct gathering *all, const struct elf_view *view, const Elf64_Sym *symbol)
{
    uint32_t source = all->source_count - 1;
    struct elf_section section;

    if (!is_function(symbol) || symbol->st_shndx == SHN_UNDEF || symbol->st_value == 0)
        return true;
    if (!elf_view_section(view, symbol->st_shndx, &section) ||
        !(section.header.sh_flags & SHF_EXECINSTR))
        return true;
    uint64_t begin = section.header.sh_addr, low = symbol->st_value;
    if (low < begin || low - begin >= section.header.sh_size)
        return true;
    uint64_t room = section.header.sh_size - (low - begin);
    uint64_t size = symbol->st_size < room ? symbol->st_size : room;
    struct slice name = elf_text(all->symbols->name_tables[source], symbol->st_name);
    if (is_noise(symbol, name) || low + room < low)
        return true;
    return vec_push(&all->candidates, (struct elf_candidate){
                                          .low = low,
                                          .high = low + size,
                                          .limit = low + room,
                                          .name = {source, symbol->st_name},
                                          .demerit = demerit_of(symbol, name),
                                      });
}

/* Adds the functions of one symbol table; false when out of memory. */
static bool gather(struct gathering *all, const struct elf_view *view,
                   const struct elf_section *table)
{
    struct elf_section names;
    size_t count = table->bytes.size / sizeof(Elf64_Sym);

    if (all->source_count == SYMBOL_SOURCES ||
        !elf_view_section(view, table->header.sh_link, &names))
        return true;
    all->symbols->name_tables[all->source_count++] = names.bytes;
    for (size_t i = 1; i < count && i < SYMBOLS_MAX; i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, table->bytes.data + i * sizeof(symbol), sizeof(symbol));
        if (!consider(all, view, &symbol))
            return false;
    }
    return true;
}

static int compare(const void *left, const void *right)
{
    const struct elf_candidate *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high > b->high ? -1 : 1;
    if (a->demerit != b->demerit)
        return a->demerit < b->demerit ? -1 : 1;
    if (a->name.source != b->name.source)
        return a->name.source < b->name.source ? -1 : 1;
    return (a->name.offset > b->name.offset) - (a->name.offset < b->name.offset);
}

/* The first address that begins after candidate `at`, or the end of its section. */
static uint64_t end_of_unsized(const struct gathering *all, size_t at)
{
    const struct elf_candidate *candidate = &all->candidates.items[at];
    for (size_t i = at + 1; i < all->candidates.count; i++) {
        if (all->candidates.items[i].low > candidate->low)
            return all->candidates.items[i].low < candidate->limit ? all->candidates.items[i].low
                                                                   : candidate->limit;
    }
    return candidate->limit;
}

static bool keep(struct elf_symbols *symbols, const struct elf_candidate *candidate, uint64_t high)
{
    uint32_t value = (uint32_t)symbols->names.count;
    return vec_push(&symbols->names, candidate->name) &&
           range_index_add(&symbols->ranges, candidate->low, high, value);
}

/* Takes the sorted candidates over; of those that begin together, a smaller one stays only when
 * its name is better than the larger one's. */
static bool choose(struct gathering *all)
{
    uint64_t covered = 0; /* first address after all sized functions so far */
    const struct elf_candidate *last = NULL;

    for (size_t i = 0; i < all->candidates.count; i++) {
        const struct elf_candidate *candidate = &all->candidates.items[i];
        bool sized = candidate->high > candidate->low;
        bool beaten = last && last->low == candidate->low && last->demerit <= candidate->demerit;
        if (beaten || (!sized && candidate->low < covered) ||
            (last && !sized && last->low == candidate->low))
            continue;
        uint64_t high = sized ? candidate->high : end_of_unsized(all, i);
        if (!keep(all->symbols, candidate, high))
            return false;
        last = candidate;
        if (sized && high > covered)
            covered = high;
    }
    return true;
}

static bool gather_all(struct gathering *all, const struct elf_view *const *views, size_t count)
{
    struct elf_section table;
    bool has_symtab = false;

    for (size_t i = 0; i < count; i++) {
        if (!elf_view_find_type(views[i], SHT_SYMTAB, &table))
            continue;
        has_symtab = has_symtab || i == 0;
        if (!gather(all, views[i], &table))
            return false;
    }
    if (count > 0 && !has_symtab && elf_view_find_type(views[0], SHT_DYNSYM, &table))
        return gather(all, views[0], &table);
    return true;
}

int elf_symbols_build(struct elf_symbols *symbols, const struct elf_view *const *views,
                      size_t count)
{
    struct gathering all = {.symbols = symbols};

    *symbols = (struct elf_symbols){0};
    bool complete = gather_all(&all, views, count);
    if (complete && all.candidates.count > 0) {
        qsort(all.candidates.items, all.candidates.count, sizeof(all.candidates.items[0]), compare);
        complete = choose(&all);
    }
    vec_free(&all.candidates);
    if (!complete) {
        elf_symbols_free(symbols);
        return -ENOMEM;
    }
    range_index_build(&symbols->ranges);
    return 0;
}

void elf_symbols_free(struct elf_symbols *symbols)
{
    range_index_free(&symbols->ranges);
    vec_free(&symbols->names);
}

struct slice elf_symbols_find(const struct elf_symbols *symbols, uint64_t address)
{
    const struct range *range = range_index_find(&symbols->ranges, address);
    return range ? name_of(symbols, symbols->names.items[range->value]) : (struct slice){"", 0};
}

size_t elf_symbols_bytes(const struct elf_symbols *symbols)
{
    return symbols->ranges.ranges.room * sizeof(struct range) +
           symbols->names.room * sizeof(struct symbol_name);
}
