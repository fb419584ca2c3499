/* SPDX-License-Identifier: Apache-2.0 */
/* Everything of an ELF file that is read without libelf: sections, notes, links, symbols, and where
 * Go keeps its tables. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "symbols/elf/elf_symbols.h"
#include "symbols/go/go_module.h"
#include "symbols/allocators/program_marks.h"

static void read_links(const struct elf_view *view)
{
    char build_id[ELF_BUILD_ID_HEX];
    struct slice text;
    uint32_t crc;
    volatile size_t sum = 0;

    elf_view_build_id(view, build_id);
    sum += strlen(build_id);
    if (elf_view_debuglink(view, &text, &crc))
        sum += (size_t)text.data[text.size]; /* its NUL */
    if (elf_view_altlink(view, &text, build_id))
        sum += (size_t)text.data[text.size] + strlen(build_id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct elf_view view;
    const struct elf_view *views[] = {&view};
    struct elf_symbols symbols;
    struct pclntab table;
    struct go_frame frames[8];
    uint64_t low, high;

    if (elf_view_init(&view, (struct slice){(const char *)data, size}) != 0)
        return 0;
    read_links(&view);
    (void)program_marks_find(&view);
    if (elf_symbols_build(&symbols, views, 1) == 0) {
        vec_each (range, &symbols.ranges.ranges) {
            (void)elf_symbols_find(&symbols, range->low);
            (void)elf_symbols_find(&symbols, range->high);
        }
        elf_symbols_free(&symbols);
    }
    if (go_module_find(&table, &view) == 0 && pclntab_span(&table, &low, &high)) {
        (void)pclntab_find(&table, low, frames, 8);
        (void)pclntab_find(&table, low + (high - low) / 2, frames, 8);
    }
    return 0;
}

#ifdef WITH_MUTATOR
#include "elf_mutator.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return mutate_elf(data, size, max_size, seed);
}
#endif
