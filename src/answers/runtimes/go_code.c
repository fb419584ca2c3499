/* SPDX-License-Identifier: Apache-2.0 */
#include "runtimes/go_code.h"

#include <stdlib.h>

#include "runtimes/go_operand.h"

static int by_value(const void *left, const void *right)
{
    uint64_t const a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

void go_code_targets(struct go_targets *targets, struct slice code, uint64_t address)
{
    const uint8_t *bytes = (const uint8_t *)code.data;
    size_t found = 0, kept = 0;
    for (size_t at = 0; at + GO_OPERAND_BYTES <= code.size && found < GO_CODE_TARGETS; at++)
        found += go_operand(bytes + at, address + at, &targets->addresses[found]);
    qsort(targets->addresses, found, sizeof(targets->addresses[0]), by_value);
    for (size_t i = 0; i < found; i++)
        if (kept == 0 || targets->addresses[i] != targets->addresses[kept - 1])
            targets->addresses[kept++] = targets->addresses[i];
    targets->count = kept;
}

bool go_targets_run(const struct go_targets *targets, size_t words, size_t *at, uint64_t *first)
{
    for (; *at < targets->count; ++*at) {
        size_t run = 1;
        while (run < words && *at + run < targets->count &&
               targets->addresses[*at + run] == targets->addresses[*at] + 8 * run)
            run++;
        if (run < words)
            continue;
        *first = targets->addresses[(*at)++];
        return true;
    }
    return false;
}
