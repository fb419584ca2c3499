/* SPDX-License-Identifier: Apache-2.0 */
/* smaps_fuzz.c - any bytes as /proc/PID/smaps, whole and in two pieces. */
#include <stdlib.h>
#include <string.h>

#include "procfs/memory/smaps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ordered, none overlapping, each name ends. */
static void check(const struct smaps *smaps)
{
    uint64_t last = 0;
    vec_each (region, &smaps->regions) {
        if (region->start < last || region->end <= region->start || strlen(region->rights) != 4 ||
            strlen(region->name) > SMAPS_LINE_MAX * 64)
            abort();
        last = region->end;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct smaps whole = {.next_key = 0}, pieces = {.next_key = 0};
    struct slice const text = {(const char *)data, size};
    size_t const half = size / 2;
    if (smaps_parse(&whole, text) < 0)
        abort();
    ssize_t const used = smaps_parse(&pieces, (struct slice){text.data, half});
    if (used < 0 ||
        smaps_parse(&pieces, (struct slice){text.data + used, size - (size_t)used}) < 0 ||
        pieces.regions.count != whole.regions.count)
        abort();
    check(&whole);
    check(&pieces);
    smaps_fini(&whole);
    smaps_fini(&pieces);
    return 0;
}
