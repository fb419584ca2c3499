/* inside_cell.h - the instructions that lead from a function of the program to inside_enter: a jump
 * at its beginning to a cell near it, and in the cell the rest of the way.  (ARCHITECTURE/
 * inside_cell.c, and inside_enter.S beside it.) */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire/inside.h"

/* Makes the jump from the address `from` to the address `to`.  false when that is too far away. */
bool inside_jump_make(uint8_t jump[INSIDE_JUMP], uint64_t from, uint64_t to);

/* Makes the way from the beginning of a cell to inside_enter, which is to find `entry`. */
struct inside_entry;
void inside_way_make(uint8_t way[INSIDE_CODE_AT], const struct inside_entry *entry);

/* Whether the processor keeps a second stack of return addresses, which knows none that code
 * in a cell pushed. */
bool inside_has_shadow_stack(void);
