/* SPDX-License-Identifier: Apache-2.0 */
/* loaded_elf_fuzz.c - any bytes as the memory of a process in which an ELF object lies. */
#include "inject/library/loaded_elf.h"

#include <stdlib.h>
#include <string.h>

#include "inject/threads/busy_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BASE 0x7f0000000000ull

struct memory {
    const uint8_t *bytes;
    size_t size;
};

static volatile uint64_t sink;

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
    const struct memory *memory = context;
    if (address < BASE || address - BASE > memory->size || size > memory->size - (address - BASE))
        return false;
    memcpy(to, memory->bytes + (address - BASE), size);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory memory = {data, size};
    struct memory_reader reader = {read_memory, &memory};
    struct loaded_elf elf;
    if (loaded_elf_read(reader, BASE, &elf) < 0)
        return 0;
    if (elf.high <= elf.low || elf.build_id_size > LOADED_BUILD_ID_MAX ||
        (elf.eh_header && (elf.eh_header < elf.eh_low || elf.eh_header >= elf.eh_high)))
        abort();
    sink += loaded_elf_function(reader, &elf, "dlopen");
    struct busy_names *names = busy_names_create(reader, &elf, true);
    if (names)
        for (uint64_t at = 0; at < size; at += 64)
            sink += busy_names_hold(names, BASE + at);
    busy_names_destroy(names);
    return 0;
}

#ifdef WITH_MUTATOR
#include "elf_mutator.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return mutate_elf(data, size, max_size, seed);
}
#endif
