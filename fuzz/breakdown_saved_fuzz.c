/* SPDX-License-Identifier: Apache-2.0 */
/* breakdown_saved_fuzz.c - any bytes as a file of `memoir map --json`. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/shared/breakdown_saved.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct breakdown breakdown = {.pid = 0};
    struct fault fault = {.text = ""};
    int const err =
        breakdown_saved_parse((struct slice){(const char *)data, size}, "file", &breakdown, &fault);
    if ((err != 0) != (fault.text[0] != '\0') || breakdown.leaves.count > SAVED_LEAVES_MAX)
        abort();
    vec_each (leaf, &breakdown.leaves)
        if (leaf->section >= SECTIONS || strlen(leaf->label) > size || strlen(leaf->item) > size)
            abort();
    breakdown_fini(&breakdown);
    return 0;
}
