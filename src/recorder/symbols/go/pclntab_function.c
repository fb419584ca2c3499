/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/go/pclntab_function.h"

#include "symbols/elf/elf_view.h"

bool pclntab_u32(struct slice bytes, uint64_t offset, uint32_t *value)
{
    struct slice part = slice_part(bytes, offset, sizeof(*value));
    if (part.size == 0)
        return false;
    memcpy(value, part.data, sizeof(*value));
    return true;
}

bool pclntab_u64(struct slice bytes, uint64_t offset, uint64_t *value)
{
    struct slice part = slice_part(bytes, offset, sizeof(*value));
    if (part.size == 0)
        return false;
    memcpy(value, part.data, sizeof(*value));
    return true;
}

/* record, offsets after the entry (u64 until 1.17, u32 from 1.18 on):
 *   0 name   4 args   8 defer   12 pcsp   16 pcfile   20 pcln   24 pcdata count
 *   1.2:   28 u8 id, u8[2], u8 funcdata count                         32 pcdata
 *   1.16:  28 unit   32 u8 id, u8[2], u8 funcdata count               36 pcdata
 *   1.20:  28 unit   32 start line   36 u8 id, u8[2], u8 funcdata...  40 pcdata
 * then funcdata: u64 addresses, 8-aligned, until 1.17; u32 offsets from 1.18 on. */
bool pclntab_function_init(struct pclntab_function *function, const struct pclntab *table,
                           uint64_t begin, uint64_t record)
{
    static const uint32_t counts_at[] = {28, 32, 32, 36};
    bool old = table->layout == PCLNTAB_1_2, wide = table->layout < PCLNTAB_1_18;
    uint64_t at = record + (wide ? 8 : 4), after = at + counts_at[table->layout];
    uint32_t name = 0, counts = 0;

    *function = (struct pclntab_function){.table = table, .begin = begin};
    function->records = old ? table->table : table->functions;
    if (record > function->records.size || !pclntab_u32(function->records, at, &name) ||
        !pclntab_u32(function->records, at + 12, &function->stack_at) ||
        !pclntab_u32(function->records, at + 16, &function->files_at) ||
        !pclntab_u32(function->records, at + 20, &function->lines_at) ||
        !pclntab_u32(function->records, at + 24, &function->pcdata_count) ||
        !pclntab_u32(function->records, after, &counts))
        return false;
    if (!old)
        (void)pclntab_u32(function->records, at + 28, &function->unit);
    function->name = elf_text(table->names, name);
    /* Until 1.11 this was one number; small counts then leave the top byte 0: no inlined calls. */
    function->funcdata_count = counts >> 24;
    function->is_top = !old && (counts >> 8 & 1) != 0;
    function->pcdata_at = after + 4;
    function->funcdata_at = function->pcdata_at + 4 * (uint64_t)function->pcdata_count;
    if (wide)
        function->funcdata_at = (function->funcdata_at + 7) & ~(uint64_t)7;
    return function->name.size > 0;
}

static bool read_varint(struct slice *bytes, uint32_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 35 && bytes->size > 0; shift += 7) {
        unsigned char byte = (unsigned char)bytes->data[0];
        *bytes = slice_part(*bytes, 1, bytes->size - 1);
        *value |= (uint32_t)(byte & 0x7f) << (shift & 31);
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

/* A sequence of (value change, address change) pairs; the value that holds at `address`, or -1. */
static int32_t value_at(const struct pclntab_function *function, uint32_t sequence,
                        uint64_t address)
{
    struct slice rest = function->table->pc_values;
    uint64_t here = function->begin;
    uint32_t value = UINT32_MAX, change, step;

    if (sequence == 0 || sequence >= rest.size)
        return -1;
    rest = slice_part(rest, sequence, rest.size - sequence);
    for (bool first = true; read_varint(&rest, &change); first = false) {
        if ((change == 0 && !first) || !read_varint(&rest, &step))
            break;
        value += change & 1 ? ~(change >> 1) : change >> 1;
        here += (uint64_t)step * function->table->quantum;
        if (address < here)
            return (int32_t)value;
    }
    return -1;
}

struct slice pclntab_function_file(const struct pclntab_function *function, uint64_t address)
{
    const struct pclntab *table = function->table;
    int32_t number = value_at(function, function->files_at, address);
    struct slice none = {"", 0};
    uint32_t offset = 0, files_at = 0, count = 0;

    if (number < 0)
        return none;
    if (table->layout == PCLNTAB_1_2) {
        /* u32 offset of the file table follows the functions' end entry; it begins with its size.
         */
        if (!pclntab_u32(table->functions, table->function_count * 16 + 8, &files_at) ||
            !pclntab_u32(table->table, files_at, &count) || (uint32_t)number >= count ||
            !pclntab_u32(table->table, files_at + 4 * (uint64_t)number, &offset))
            return none;
        return elf_text(table->table, offset);
    }
    if (!pclntab_u32(table->unit_files, 4 * ((uint64_t)function->unit + (uint32_t)number),
                     &offset) ||
        offset == UINT32_MAX)
        return none;
    return elf_text(table->files, offset);
}

uint32_t pclntab_function_line(const struct pclntab_function *function, uint64_t address)
{
    int32_t line = value_at(function, function->lines_at, address);
    return line > 0 ? (uint32_t)line : 0;
}

int32_t pclntab_function_stack(const struct pclntab_function *function, uint64_t address)
{
    return value_at(function, function->stack_at, address);
}

/* The tree of inlined calls: funcdata number `slot`. */
static struct slice inline_tree(const struct pclntab_function *function, uint32_t slot)
{
    const struct pclntab *table = function->table;
    struct slice none = {"", 0};
    uint64_t address = 0;
    uint32_t offset = UINT32_MAX;

    if (slot >= function->funcdata_count || !table->memory)
        return none;
    if (table->layout < PCLNTAB_1_18) {
        if (!pclntab_u64(function->records, function->funcdata_at + 8 * (uint64_t)slot, &address))
            return none;
        return address == 0 ? none : table->memory(table->context, address);
    }
    if (table->inline_base == 0 ||
        !pclntab_u32(function->records, function->funcdata_at + 4 * (uint64_t)slot, &offset) ||
        offset == UINT32_MAX)
        return none;
    return table->memory(table->context, table->inline_base + offset);
}

/* One entry of the tree; false when it makes no sense as one.
 * until 1.19:  0 i16 parent   2 u8 id   4 file   8 line   12 name   16 parent pc   (20 bytes)
 * 1.20:        0 u8 id   4 name   8 parent pc   12 start line                      (16 bytes) */
static bool read_call(const struct pclntab *table, struct slice tree, uint32_t number,
                      struct pclntab_call *call)
{
    bool newest = table->layout == PCLNTAB_1_20;
    uint64_t at = (uint64_t)number * (newest ? 16 : 20);
    uint32_t name = 0;

    if (!pclntab_u32(tree, at + (newest ? 4 : 12), &name) ||
        !pclntab_u32(tree, at + (newest ? 8 : 16), &call->parent_offset))
        return false;
    call->name = elf_text(table->names, name);
    return call->name.size > 0;
}

/* `places` are the numbers of the pcdata sequence (index in the tree) and of the funcdata (tree).
 */
static bool call_from(const struct pclntab_function *function, uint64_t address,
                      const uint32_t places[2], struct pclntab_call *call)
{
    uint32_t sequence = 0;
    struct slice tree = inline_tree(function, places[1]);

    if (tree.size == 0 || places[0] >= function->pcdata_count ||
        !pclntab_u32(function->records, function->pcdata_at + 4 * (uint64_t)places[0], &sequence))
        return false;
    int32_t number = value_at(function, sequence, address);
    return number >= 0 && read_call(function->table, tree, (uint32_t)number, call);
}

bool pclntab_function_inlined(const struct pclntab_function *function, uint64_t address,
                              struct pclntab_call *call)
{
    static const uint32_t places_1_12[] = {1, 2}, places_1_13[] = {2, 4}, places_1_16[] = {2, 3};

    if (function->table->layout > PCLNTAB_1_2)
        return call_from(function, address, places_1_16, call);
    return call_from(function, address, function->table->before_1_13 ? places_1_12 : places_1_13,
                     call);
}
