/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_names_fuzz.c - any text as a list of the kernel's functions. */
#include "symbols/lookup/kernel_names.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kernel_names *names = kernel_names_parse((struct slice){(const char *)data, size});
    const char *function, *module;
    for (size_t at = 0; names && at + 8 <= size; at += 8) {
        uint64_t address;
        memcpy(&address, data + at, sizeof(address));
        if (kernel_names_find(names, address, &function, &module) &&
            strlen(function) + strlen(module) > size)
            abort();
    }
    kernel_names_free(names);
    return 0;
}
