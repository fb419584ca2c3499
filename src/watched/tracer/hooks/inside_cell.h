/* inside_cell.h - makes the instructions that lead from a function of the program to inside_enter:
 * a jump at its beginning to a cell near it, and in the cell the rest of the way.  (In
 * ARCHITECTURE/inside_cell.c, with inside_enter.S.) */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire/inside.h"

/* Makes the jump from address `from` to address `to`.  Returns false if that is too far. */
bool inside_jump_make(uint8_t jump[INSIDE_JUMP], uint64_t from, uint64_t to);

/* Makes the way from the beginning of a cell to inside_enter, which gets `entry`. */
struct inside_entry;
void inside_way_make(uint8_t way[INSIDE_CODE_AT], const struct inside_entry *entry);

/* Returns whether the processor has a shadow stack of return addresses, which does not know an
 * address that code in a cell pushed. */
bool inside_has_shadow_stack(void);
