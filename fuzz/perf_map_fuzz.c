/* SPDX-License-Identifier: Apache-2.0 */
/* perf_map_fuzz.c - any bytes as a list of code made at run time. */
#include <stdlib.h>
#include <string.h>

#include "symbols/lookup/perf_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile size_t sink;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct perf_map *map = perf_map_parse((const char *)data, size);
    if (!map)
        return 0;
    for (uint64_t address = 0; address < 0x3000; address += 0x3f) {
        const char *name = perf_map_find(map, address);
        if (name && (name[0] == '\0' || strchr(name, '\n')))
            abort();
        sink += name ? strlen(name) : 0;
    }
    perf_map_close(map);
    return 0;
}
