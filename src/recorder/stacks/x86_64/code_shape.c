/* SPDX-License-Identifier: Apache-2.0 */
#include "stacks/code_shape.h"

#define PUSH_RBP 0x55
#define RET      0xc3

enum code_stage code_stage(const uint8_t at[CODE_STAGE_BYTES])
{
    if (at[0] == PUSH_RBP || at[0] == RET)
        return CODE_OUTSIDE;
    /* mov %rsp, %rbp */
    return at[0] == 0x48 && (at[1] == 0x89 || at[1] == 0x8b) ? CODE_BEGINNING : CODE_INSIDE;
}

bool code_saves_fp(uint8_t before)
{
    return before == PUSH_RBP;
}

bool code_ends_with_call(const uint8_t at[CODE_CALL_BYTES])
{
    /* call to a distance; call *register; call *memory, with a distance of 4, 1 or no bytes */
    return at[2] == 0xe8 || (at[5] == 0xff && (at[6] & 0xf8) == 0xd0) ||
           (at[1] == 0xff && (at[2] & 0x38) == 0x10) || (at[4] == 0xff && (at[5] & 0x38) == 0x10) ||
           (at[5] == 0xff && (at[6] & 0x38) == 0x10);
}
