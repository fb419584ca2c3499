/* row_program.h - runs the instructions that make the row of an address. */
#pragma once

#include "unwind/byte_cursor.h"
#include "unwind/eh_frame.h"

/* A common information entry (CIE), as far as rows depend on it. */
struct cie {
    uint64_t code_align;
    int64_t data_align;
    uint64_t return_column;
    uint8_t pointer_encoding;
    bool signal_frame, has_augmentation_size;
    const uint8_t *program, *program_end;
};

/* How deep DW_CFA_remember_state may nest. */
#define REMEMBER_MAX 4

struct row_state {
    struct unwind_row row;
    struct unwind_row initial; /* As the CIE left it, for DW_CFA_restore. */
    struct unwind_row remembered[REMEMBER_MAX];
    unsigned depth;
    uint64_t location;
};

/* Like eh_frame_row, in memory of the caller: two kilobytes, for which a stack may have no room.
 * The result is state->row. */
int eh_frame_row_in(const struct eh_view *view, uint64_t pc, struct row_state *state);

/* Runs instructions until the location passes `pc`.  Returns false on anything unknown. */
bool row_program_run(struct row_state *state, const struct cie *cie, struct byte_cursor cursor,
                     uint64_t pc);
