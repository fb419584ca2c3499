/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *symbol = strndup((const char *)data, size);
    char *readable = symbol ? demangle(symbol) : NULL;

    if (readable && strlen(readable) > 64 * 1024)
        abort();
    free(readable);
    free(symbol);
    return 0;
}
