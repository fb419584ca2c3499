/* SPDX-License-Identifier: Apache-2.0 */
#include "runtimes/go_code.h"

#include <stdlib.h>

#define INSTRUCTION 7 /* REX.W, opcode, ModRM, and 4 bytes of distance */

static int by_value(const void *left, const void *right)
{
    uint64_t const a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* mov, add, sub, cmp between register and memory, and lea. */
static bool is_opcode(unsigned char code)
{
    return code == 0x8b || code == 0x89 || code == 0x8d || code == 0x03 || code == 0x2b ||
           code == 0x3b || code == 0x39;
}

void go_code_targets(struct go_targets *targets, struct slice code, uint64_t address)
{
    const unsigned char *bytes = (const unsigned char *)code.data;
    size_t found = 0, kept = 0;
    for (size_t at = 0; at + INSTRUCTION <= code.size && found < GO_CODE_TARGETS; at++) {
        int32_t distance;
        if ((bytes[at] & 0xf8) != 0x48 || !is_opcode(bytes[at + 1]) ||
            (bytes[at + 2] & 0xc7) != 0x05)
            continue;
        memcpy(&distance, bytes + at + 3, sizeof(distance));
        targets->addresses[found++] = address + at + INSTRUCTION + (uint64_t)(int64_t)distance;
    }
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
