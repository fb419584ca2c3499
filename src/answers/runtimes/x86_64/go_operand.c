/* SPDX-License-Identifier: Apache-2.0 */
#include "runtimes/go_operand.h"

#include <string.h>

/* REX.W, opcode, ModRM, and 4 bytes of distance. */
_Static_assert(GO_OPERAND_BYTES == 7, "as below");

/* mov, add, sub, cmp between register and memory, and lea. */
static bool is_opcode(uint8_t code)
{
    return code == 0x8b || code == 0x89 || code == 0x8d || code == 0x03 || code == 0x2b ||
           code == 0x3b || code == 0x39;
}

bool go_operand(const uint8_t bytes[GO_OPERAND_BYTES], uint64_t address, uint64_t *target)
{
    int32_t distance;
    if ((bytes[0] & 0xf8) != 0x48 || !is_opcode(bytes[1]) || (bytes[2] & 0xc7) != 0x05)
        return false;
    memcpy(&distance, bytes + 3, sizeof(distance));
    *target = address + GO_OPERAND_BYTES + (uint64_t)(int64_t)distance;
    return true;
}
