/* code_shape.h - what the instructions around an address say of a frame without unwind tables.
 * (ARCHITECTURE/code_shape.c) */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Where a function is that a thread stands in, by the next instructions. */
enum code_stage {
    CODE_INSIDE,    /* anywhere */
    CODE_OUTSIDE,   /* it has not begun, or is over: the return address is at sp */
    CODE_BEGINNING, /* it sets fp next: if it saved the caller's before, that is at sp */
};
#define CODE_STAGE_BYTES 3u
enum code_stage code_stage(const uint8_t at[CODE_STAGE_BYTES]);
/* Whether the instruction before, which ends in this byte, saves fp. */
bool code_saves_fp(uint8_t before);

/* Whether a call ends with these bytes, so that a function could return behind them. */
#define CODE_CALL_BYTES 7u
bool code_ends_with_call(const uint8_t at[CODE_CALL_BYTES]);
