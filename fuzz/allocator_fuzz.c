/* SPDX-License-Identifier: Apache-2.0 */
/* Allocators in an ELF file, and the moving of their first instructions.  An input that is no
 * ELF file is taken for instructions. */
#include <stddef.h>
#include <stdint.h>

#include "symbols/allocators/allocator_family.h"
#include "symbols/allocators/code_move.h"

static void move(struct slice code, size_t size, uint64_t address)
{
    struct code_function function = {code, size, address};
    struct code_moved moved;
    const char *why;
    if (code_move(&function, address - 0x10000, &moved, &why) == 0 &&
        (moved.stolen < CODE_JUMP || moved.stolen > 24 || moved.size > sizeof(moved.bytes)))
        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice bytes = {(const char *)data, size};
    struct allocator_family family;
    struct elf_view view;

    if (elf_view_init(&view, bytes) != 0) {
        move(bytes, size, 0x400000);
        move(bytes, size / 2, 0x400000);
        return 0;
    }
    if (allocator_family_find(&family, &view, "x_") != 0)
        return 0;
    vec_each (entry, &family.entries) {
        struct slice code = elf_view_at(&view, entry->address);
        if (code.size > entry->room)
            code.size = entry->room;
        move(code, entry->size, entry->address);
    }
    allocator_family_free(&family);
    return 0;
}
