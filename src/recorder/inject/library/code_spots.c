/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/library/code_spots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX (64ull << 20)

static uint64_t find_bytes(const char *text, uint64_t size, uint64_t address, struct slice wanted)
{
    const char *found = memmem(text, size, wanted.data, wanted.size);
    return found ? address + (uint64_t)(found - text) : 0;
}

int code_spots_find(const struct target_modules *modules, struct code_spots *spots)
{
    const struct target_module *libc = target_modules_of(modules, MODULE_LIBC);
    const struct loaded_elf *elf = libc ? target_module_elf(libc) : NULL;
    uint64_t size = elf ? elf->text_high - elf->text_low : 0;
    char *text = size > 0 && size < TEXT_MAX ? malloc(size) : NULL;
    *spots = (struct code_spots){0, 0};
    if (text && target_modules_read(modules, elf->text_low, text, size)) {
        spots->call_kernel = find_bytes(text, size, elf->text_low, code_spots_call_kernel);
        spots->put_back = find_bytes(text, size, elf->text_low, code_spots_put_back);
    }
    free(text);
    return spots->call_kernel && spots->put_back ? 0 : -ENOENT;
}
