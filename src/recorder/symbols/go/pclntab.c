/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/go/pclntab.h"

#include <errno.h>

#include "symbols/elf/elf_view.h"
#include "symbols/go/pclntab_function.h"

#define POINTER_SIZE 8

static const struct {
    uint32_t magic;
    enum pclntab_layout layout;
} magics[] = {
    {0xfffffffb, PCLNTAB_1_2},
    {0xfffffffa, PCLNTAB_1_16},
    {0xfffffff0, PCLNTAB_1_18},
    {0xfffffff1, PCLNTAB_1_20},
};

/* header:  0 u32 magic   4 u16 zero   6 u8 quantum   7 u8 pointer size   8 u64 function count
 * 1.2:     16 functions
 * 1.16:    16 u64 file count   24 names   32 unit files   40 files   48 pc values   56 functions
 * 1.18:    16 u64 file count   24 text start   32 names   40 unit files   48 files   56 pc values
 *          64 functions                                    (all parts as u64 offsets from 0) */
static struct slice part_at(struct slice table, uint64_t header_offset)
{
    uint64_t offset = 0;
    if (!pclntab_u64(table, header_offset, &offset) || offset > table.size)
        return (struct slice){"", 0};
    return slice_part(table, offset, table.size - offset);
}

static void find_parts(struct pclntab *table)
{
    if (table->layout == PCLNTAB_1_2) {
        table->names = table->files = table->pc_values = table->table;
        table->functions = slice_part(table->table, 16, table->table.size - 16);
        return;
    }
    uint64_t at = table->layout == PCLNTAB_1_16 ? 24 : 32;
    table->names = part_at(table->table, at);
    table->unit_files = part_at(table->table, at + 8);
    table->files = part_at(table->table, at + 16);
    table->pc_values = part_at(table->table, at + 24);
    table->functions = part_at(table->table, at + 32);
    if (at == 32)
        (void)pclntab_u64(table->table, 24, &table->text_start);
}

int pclntab_init(struct pclntab *table, struct slice bytes)
{
    uint32_t magic = 0;

    *table = (struct pclntab){.table = bytes};
    if (bytes.size < 72 || !pclntab_u32(bytes, 0, &magic) || bytes.data[4] != 0 ||
        bytes.data[5] != 0 || bytes.data[7] != POINTER_SIZE)
        return -EINVAL;
    table->quantum = (unsigned char)bytes.data[6];
    if (table->quantum != 1 && table->quantum != 2 && table->quantum != 4)
        return -EINVAL;
    size_t known = 0;
    while (known < sizeof(magics) / sizeof(magics[0]) && magics[known].magic != magic)
        known++;
    if (known == sizeof(magics) / sizeof(magics[0]))
        return -EINVAL;
    table->layout = magics[known].layout;
    find_parts(table);
    /* One more entry, the end, than functions. */
    size_t entry_size = table->layout < PCLNTAB_1_18 ? 16 : 8;
    if (!pclntab_u64(bytes, 8, &table->function_count) || table->function_count == 0 ||
        table->function_count >= table->functions.size / entry_size)
        return -EINVAL;
    return 0;
}

/* Where function `number` begins (or all end), and where its record is in table->functions. */
static void entry_of(const struct pclntab *table, uint64_t number, uint64_t *begin,
                     uint64_t *record)
{
    *begin = *record = 0;
    if (table->layout < PCLNTAB_1_18) {
        (void)pclntab_u64(table->functions, number * 16, begin);
        (void)pclntab_u64(table->functions, number * 16 + 8, record);
        return;
    }
    uint32_t offset = 0, place = 0;
    (void)pclntab_u32(table->functions, number * 8, &offset);
    (void)pclntab_u32(table->functions, number * 8 + 4, &place);
    *begin = table->text_start + offset;
    *record = place;
}

bool pclntab_span(const struct pclntab *table, uint64_t *low, uint64_t *high)
{
    uint64_t record;
    entry_of(table, 0, low, &record);
    entry_of(table, table->function_count, high, &record);
    return *low < *high;
}

static bool find_function(const struct pclntab *table, uint64_t address,
                          struct pclntab_function *function)
{
    uint64_t low = 0, high = table->function_count, begin, record, end;

    if (!pclntab_span(table, &begin, &end) || address < begin || address >= end)
        return false;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        entry_of(table, middle, &begin, &record);
        if (begin <= address)
            low = middle;
        else
            high = middle;
    }
    entry_of(table, low, &begin, &record);
    return begin <= address && pclntab_function_init(function, table, begin, record);
}

size_t pclntab_find(const struct pclntab *table, uint64_t address, struct go_frame *out,
                    size_t room)
{
    struct pclntab_function function;
    struct pclntab_call call;
    size_t count = 0;

    if (room == 0 || !find_function(table, address, &function))
        return 0;
    /* An inlined call knows an address whose line is that of the call: walk outward by it. */
    while (count + 1 < room && pclntab_function_inlined(&function, address, &call)) {
        out[count].function = call.name;
        out[count].file = pclntab_function_file(&function, address);
        out[count].line = pclntab_function_line(&function, address);
        count++;
        address = function.begin + call.parent_offset;
    }
    /* Cut short: the real function still has to show where it is, so go on to its own line. */
    for (int left = 256; left > 0 && pclntab_function_inlined(&function, address, &call); left--)
        address = function.begin + call.parent_offset;
    out[count].function = function.name;
    out[count].file = pclntab_function_file(&function, address);
    out[count].line = pclntab_function_line(&function, address);
    return count + 1;
}

bool pclntab_find_name(const struct pclntab *table, const char *name, uint64_t *begin,
                       uint64_t *end)
{
    struct slice const wanted = slice_of(name);
    uint64_t record, next;

    for (uint64_t i = 0; i < table->function_count; i++) {
        struct pclntab_function function;
        entry_of(table, i, begin, &record);
        if (!pclntab_function_init(&function, table, *begin, record) ||
            !slice_equals(function.name, wanted))
            continue;
        entry_of(table, i + 1, end, &next);
        return *end > *begin;
    }
    return false;
}

/* The runtime's own functions that are not just called, and return.  Go 1.17 began to flag those
 * that begin a stack. */
static const struct {
    const char *name;
    enum go_stack_kind kind;
} odd_functions[] = {
    {"goexit", GO_STACK_BEGINS},
    {"mstart", GO_STACK_BEGINS},
    {"rt0_go", GO_STACK_BEGINS},
    {"systemstack", GO_STACK_SWITCHED},
    {"mcall", GO_STACK_SWITCHED},
    {"morestack", GO_STACK_SWITCHED},
    {"gogo", GO_STACK_SWITCHED},
    {"asmcgocall", GO_STACK_SWITCHED},
    {"cgocallback", GO_STACK_SWITCHED},
    {"cgocallback_gofunc", GO_STACK_SWITCHED},
    {"nanotime1", GO_STACK_IN_R12},
    {"walltime", GO_STACK_IN_R12},
    {"walltime1", GO_STACK_IN_R12},
    {"sigreturn", GO_STACK_SIGNAL},
    {"sigreturn__sigaction", GO_STACK_SIGNAL},
};

static enum go_stack_kind kind_of(const struct pclntab_function *function)
{
    static const char package[] = "runtime.", by_stack[] = ".abi0";
    struct slice name = function->name;
    size_t const before = sizeof(package) - 1, after = sizeof(by_stack) - 1;

    if (function->is_top)
        return GO_STACK_BEGINS;
    if (name.size > before && memcmp(name.data, package, before) == 0)
        name = slice_part(name, before, name.size - before);
    else if (!slice_equals(name, slice_of("gogo"))) /* its file's own, so without a package */
        return GO_STACK_CALLED;
    if (name.size > after && memcmp(name.data + name.size - after, by_stack, after) == 0)
        name.size -= after;
    for (size_t i = 0; i < sizeof(odd_functions) / sizeof(odd_functions[0]); i++) {
        if (slice_equals(name, slice_of(odd_functions[i].name)))
            return odd_functions[i].kind;
    }
    return GO_STACK_CALLED;
}

/* Functions that ask the kernel's own code for the time keep their stack pointer in r12
 * meanwhile: from the first instruction after the usual ones, which take 14 bytes, until they
 * leave their frame. */
#define R12_FROM 17u

bool pclntab_stack(const struct pclntab *table, uint64_t address, struct go_stack *out)
{
    struct pclntab_function function;

    if (!find_function(table, address, &function))
        return false;
    int32_t const size = pclntab_function_stack(&function, address);
    *out = (struct go_stack){kind_of(&function), size > 0 ? (uint32_t)size : 0, function.name};
    if (out->kind == GO_STACK_IN_R12 && (size <= 0 || address - function.begin < R12_FROM))
        out->kind = GO_STACK_CALLED;
    return size >= 0 || out->kind != GO_STACK_CALLED;
}
