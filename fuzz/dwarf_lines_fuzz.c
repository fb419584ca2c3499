/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf/dwarf_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dwarf_frame frames[RESOLVED_MAX];
    volatile size_t sum = 0;

    char *copy = malloc(size + 1); /* libelf unpacks in place */
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    struct dwarf_lines *lines =
        dwarf_lines_open((struct slice){copy, size}, (struct slice){"", 0}, "/no/such/root");
    for (uint64_t address = 0x400000; lines && address < 0x402000; address += 5) {
        size_t count = dwarf_lines_find(lines, address, frames);
        for (size_t i = 0; i < count; i++)
            sum += frames[i].file ? strlen(frames[i].file) : 0;
    }
    dwarf_lines_close(lines);
    free(copy);
    return 0;
}

#ifdef WITH_MUTATOR
#include "elf_mutator.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return mutate_elf(data, size, max_size, seed);
}
#endif
