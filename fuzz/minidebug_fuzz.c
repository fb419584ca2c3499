/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "symbols/elf/elf_symbols.h"
#include "symbols/dwarf/minidebug.h"

#define BOUND ((size_t)4 * 1024 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice packed = {(const char *)data, size}, unpacked;
    struct elf_view view;
    const struct elf_view *views[] = {&view};
    struct elf_symbols symbols;

    if (minidebug_unpack(packed, BOUND, &unpacked) != 0)
        return 0;
    if (unpacked.size > BOUND)
        abort();
    if (elf_view_init(&view, unpacked) == 0 && elf_symbols_build(&symbols, views, 1) == 0) {
        for (uint64_t address = 0; address < 0x10000; address += 37)
            (void)elf_symbols_find(&symbols, address);
        elf_symbols_free(&symbols);
    }
    free((char *)unpacked.data);
    return 0;
}
