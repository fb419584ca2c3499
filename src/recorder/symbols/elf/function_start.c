/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/elf/function_start.h"

#include "unwind/eh_frame.h"

#define HEADER_LEAST 8u

uint64_t function_start_find(const struct elf_view *view, uint64_t address)
{
    const uint8_t *bytes = (const uint8_t *)view->bytes.data;
    struct eh_entry entry;
    Elf64_Phdr segment;
    uint32_t number = 0;
    while (elf_view_segment(view, number, &segment) && segment.p_type != PT_GNU_EH_FRAME)
        number++;
    if (!elf_view_segment(view, number, &segment))
        return 0;
    struct slice const header = elf_view_at(view, segment.p_vaddr);
    if (header.size < HEADER_LEAST)
        return 0;
    const uint8_t *at = (const uint8_t *)header.data;
    struct eh_view const tables = {.header = at,
                                   .low = bytes,
                                   .high = bytes + view->bytes.size,
                                   .slide = segment.p_vaddr - (uint64_t)(uintptr_t)at};
    return eh_frame_function(&tables, address, &entry) == 0 ? entry.start : 0;
}
