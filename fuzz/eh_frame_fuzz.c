/* SPDX-License-Identifier: Apache-2.0 */
/* eh_frame_fuzz.c - any bytes as the unwind tables of a module.
 *
 * Two bytes say where .eh_frame_hdr begins, the rest is the image.  Rows found are also followed,
 * through a memory that answers with the image's own bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/rule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TARGET    0x400000ull
#define TABLE_MAX 32

static volatile uint64_t sink;

struct memory {
    const uint8_t *bytes;
    size_t size;
};

static bool read_word(void *context, uint64_t address, uint64_t *value)
{
    struct memory *memory = context;
    if (memory->size < 8 || address % 16 == 15)
        return false;
    memcpy(value, memory->bytes + address % (memory->size - 7), 8);
    return true;
}

static void look_up(const struct eh_view *view, uint64_t pc)
{
    struct unwind_row row;
    struct memory memory = {view->low, (size_t)(view->high - view->low)};
    uint64_t registers[REG_COUNT];
    bool outermost;
    if (eh_frame_row(view, pc, &row) != 0)
        return;
    unwind_rule rule = rule_from_row(&row, 1);
    if (rule_kind_of(rule) == RULE_NONE || rule_kind_of(rule) > RULE_MISSING ||
        rule_module(rule) != 1)
        abort();
    for (unsigned i = 0; i < REG_COUNT; i++)
        registers[i] = TARGET + 64 * i;
    if (eh_frame_step(&row, registers, read_word, &memory, &outermost) == 0)
        sink += registers[REG_IP] + registers[REG_SP];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    size_t header = (size_t)(data[0] | data[1] << 8) % (size - 2);
    struct eh_view view = {.header = data + 2 + header, .low = data + 2, .high = data + size};
    view.slide = TARGET - (uint64_t)(uintptr_t)view.header;

    look_up(&view, 0);
    look_up(&view, TARGET);
    look_up(&view, UINT64_MAX);
    /* Starts that the table names, if there is one in the usual place. */
    for (size_t i = 0, at = header + 2 + 12; i < TABLE_MAX && at + 4 <= size; i++, at += 8) {
        int32_t start;
        memcpy(&start, data + at, 4);
        uint64_t pc = TARGET + (uint64_t)(int64_t)start;
        look_up(&view, pc);
        look_up(&view, pc + 1);
        look_up(&view, pc + 17);
        look_up(&view, pc - 1);
    }
    return 0;
}
