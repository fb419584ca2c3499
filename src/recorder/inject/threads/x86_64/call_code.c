/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/threads/call_code.h"

#include <string.h>

#define MOVE       0xb8u /* mov $number, %eax */
#define MOVE_BYTES 5u
#define CALL_BYTES 2u /* syscall */

int64_t call_code_find(const uint8_t code[CALL_CODE_BYTES], const uint32_t *numbers, size_t count)
{
    for (size_t i = CALL_CODE_BYTES - CALL_BYTES - MOVE_BYTES + 1; i-- > 0;) {
        uint32_t number;
        memcpy(&number, code + i + 1, sizeof(number));
        for (size_t k = 0; k < count && code[i] == MOVE; k++)
            if (numbers[k] == number)
                return number;
    }
    return -1;
}

int64_t call_code_nearest(const uint8_t code[CALL_CODE_NEAREST])
{
    uint32_t number;
    if (code[0] != MOVE || code[MOVE_BYTES] != 0x0f || code[MOVE_BYTES + 1] != 0x05)
        return -1;
    memcpy(&number, code + 1, sizeof(number));
    return number;
}
