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

#ifdef WITH_MUTATOR
#include <lzma.h>
#include <string.h>

#include "elf_mutator.h"

#define ELF_MOST ((size_t)256 << 10)

/* Packs it as xz does with the fastest settings; 0 when it does not fit. */
static size_t pack(const uint8_t *elf, size_t size, uint8_t *to, size_t room)
{
    size_t used = 0;
    return lzma_easy_buffer_encode(0, LZMA_CHECK_NONE, NULL, elf, size, to, &used, room) == LZMA_OK
               ? used
               : 0;
}

/* A changed byte of packed data is garbage to the decoder and nothing else: its content is changed,
 * but for one time in eight. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    struct slice unpacked;
    if (seed % 8 == 0 ||
        minidebug_unpack((struct slice){(const char *)data, size}, ELF_MOST, &unpacked) != 0)
        return LLVMFuzzerMutate(data, size, max_size);
    size_t const room = unpacked.size + 64;
    uint8_t *elf = calloc(1, room);
    size_t packed = 0;
    if (elf) {
        memcpy(elf, unpacked.data, unpacked.size);
        packed = pack(elf, mutate_elf(elf, unpacked.size, room, seed / 8), data, max_size);
    }
    free(elf);
    free((char *)unpacked.data);
    return packed ? packed : LLVMFuzzerMutate(data, size, max_size);
}
#endif
