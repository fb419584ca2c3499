/* code_shape.h - what the instructions around an address tell about a frame without unwind tables.
 * (In ARCHITECTURE/code_shape.c.) */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* How far a function has come when a thread is in it, by the next instructions. */
enum code_stage {
    CODE_INSIDE,    /* Anywhere. */
    CODE_OUTSIDE,   /* Not begun, or over: the return address is at sp. */
    CODE_BEGINNING, /* It sets fp next: if it has saved the caller's fp, that is at sp. */
};
#define CODE_STAGE_BYTES 3u
enum code_stage code_stage(const uint8_t at[CODE_STAGE_BYTES]);
/* Returns whether the instruction before, which ends with this byte, saves fp. */
bool code_saves_fp(uint8_t before);

/* Returns whether a call ends with these bytes, so that a function could return to the address
 * behind them. */
#define CODE_CALL_BYTES 7u
bool code_ends_with_call(const uint8_t at[CODE_CALL_BYTES]);
