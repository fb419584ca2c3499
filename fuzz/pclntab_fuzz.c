/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>

#include "symbols/elf/elf_view.h"
#include "symbols/go/pclntab.h"

/* The input is the table and, from any address modulo its size, the memory with inlined calls. */
static struct slice memory_of(void *context, uint64_t address)
{
    const struct slice *input = context;
    uint64_t at = address % input->size;
    return slice_part(*input, at, input->size - at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice input = {(const char *)data, size};
    struct pclntab table;
    struct go_frame frames[8];
    uint64_t low, high;

    if (pclntab_init(&table, input) != 0)
        return 0;
    table.memory = memory_of;
    table.context = &input;
    table.inline_base = 1;
    table.before_1_13 = data[8] & 1;
    if (!pclntab_span(&table, &low, &high))
        return 0;
    uint64_t step = (high - low) / 32 + 1;
    for (uint64_t number = 0; number < 32; number++) {
        size_t count = pclntab_find(&table, low + number * step, frames, 8);
        for (size_t i = 0; i < count; i++) { /* every text lies inside: touch its ends */
            volatile char ends[2] = {frames[i].function.data[frames[i].function.size],
                                     frames[i].file.data[frames[i].file.size]};
            (void)ends;
        }
    }
    return 0;
}
