/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/hooks/inside_cell.h"

#include <string.h>

#include "tracer/hooks/inside.h"
#include "tracer/process/raw_syscall.h"

bool inside_jump_make(uint8_t jump[INSIDE_JUMP], uint64_t from, uint64_t to)
{
    int64_t far = (int64_t)(to - (from + INSIDE_JUMP));
    int32_t distance = (int32_t)far;
    jump[0] = 0xe9;
    memcpy(jump + 1, &distance, sizeof(distance));
    return far == distance;
}

void inside_way_make(uint8_t way[INSIDE_CODE_AT], const struct inside_entry *entry)
{
    /* mov $entry, %r11; jmp *0(%rip); inside_enter */
    uint64_t self = (uint64_t)entry, enter = (uint64_t)inside_enter;
    memset(way, 0, INSIDE_CODE_AT);
    memcpy(way, (uint8_t[]){0x49, 0xbb}, 2);
    memcpy(way + 2, &self, sizeof(self));
    memcpy(way + 10, (uint8_t[]){0xff, 0x25}, 2);
    memcpy(way + 16, &enter, sizeof(enter));
}

/* ARCH_SHSTK_STATUS; an error on kernels and processors that have none. */
bool inside_has_shadow_stack(void)
{
    uint64_t features = 0;
    return raw_syscall3(SYS_arch_prctl, 0x5005, (long)&features, 0) == 0 && (features & 1);
}
