/* SPDX-License-Identifier: Apache-2.0 */
/* region_names_fuzz.c - any bytes as the beginning of an ELF file with notes, and as notes that
 * lie elsewhere. */
#include <string.h>

#include "runtimes/region_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_again(void *context, uint64_t address, void *to, size_t size)
{
    const struct slice *bytes = context;
    memset(to, 0, size);
    memcpy(to, bytes->data, size < bytes->size ? size : bytes->size);
    return address != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice bytes = {(const char *)data, size};
    (void)region_names_find(bytes, 0x1000, read_again, &bytes);
    return 0;
}
