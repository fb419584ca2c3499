/* eh_frame.h - what `.eh_frame` says about one instruction: where its caller's registers are.
 *
 * Reads only the memory that it is given, allocates nothing and keeps nothing.  Compiled into the
 * tracer and into the recorder.  The input is hostile: every read is bounded. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/registers.h"

/* A module's unwind tables as bytes in memory.  `low`..`high` must be readable and hold both
 * .eh_frame_hdr (at `header`) and .eh_frame.  `slide` = address in the target - address here; 0 in
 * the process itself. */
struct eh_view {
    const uint8_t *header;
    const uint8_t *low, *high;
    uint64_t slide;
    bool is_debug_frame; /* low..high is .debug_frame, which has no header: see eh_frame_next. */
};

enum place {
    PLACE_SAME,      /* Unchanged. */
    PLACE_UNDEFINED, /* Not recoverable; for the return address: the outermost frame. */
    PLACE_AT,        /* Saved at CFA + offset. */
    PLACE_IS,        /* Is CFA + offset. */
    PLACE_REGISTER,  /* In register `offset`. */
    PLACE_AT_EXPR,   /* Saved at the result of an expression. */
    PLACE_IS_EXPR    /* Is the result of an expression. */
};

/* Small, because rows are on the stacks of other people's programs. */
struct register_rule {
    const uint8_t *expr;
    int32_t offset;
    uint16_t expr_size;
    uint8_t place; /* enum place */
};

struct unwind_row {
    bool cfa_is_expr;
    unsigned cfa_register;
    int64_t cfa_offset;
    const uint8_t *cfa_expr;
    size_t cfa_expr_size;
    bool signal_frame; /* The caller did not call: it was interrupted by a signal. */
    struct register_rule registers[REG_COUNT];
};

/* Finds the row for the instruction at `pc` (an address in the target).  Returns 0; -ENOENT if no
 * table covers it; -EINVAL if the tables are broken or use something unknown to us. */
int eh_frame_row(const struct eh_view *view, uint64_t pc, struct unwind_row *row);

/* For tables without a header to search: returns the functions that they describe, in the order of
 * the tables. *offset is 0 for the first call.  Returns false at the end.  Skips broken entries. */
struct eh_entry {
    uint64_t start, end; /* Addresses. */
    uint32_t offset;     /* For eh_frame_row_at. */
};
bool eh_frame_next(const struct eh_view *view, uint32_t *offset, struct eh_entry *entry);
/* Finds the function that contains `pc`; does not set `offset`.  Returns 0, -ENOENT or -EINVAL as
 * eh_frame_row does. */
int eh_frame_function(const struct eh_view *view, uint64_t pc, struct eh_entry *entry);
/* Like eh_frame_row, for the function at `offset`. */
int eh_frame_row_at(const struct eh_view *view, uint32_t offset, uint64_t pc,
                    struct unwind_row *row);

/* Reads memory of the walked stack.  Returns false if it is not readable: the walk ends there. */
typedef bool (*read_word_fn)(void *context, uint64_t address, uint64_t *value);

/* Evaluates a DWARF expression over `registers`, with `first` on the stack if has_first (the CFA,
 * for register rules).  Returns 0 or -EINVAL. */
struct expr_input {
    const uint8_t *code;
    size_t size;
    const uint64_t *registers; /* REG_COUNT of them. */
    bool has_first;
    uint64_t first;
    read_word_fn read_word;
    void *context;
    uint32_t *used; /* Gets a bit for each register that is read; may be NULL. */
};
int eh_frame_evaluate(const struct expr_input *input, uint64_t *result);

/* Does one whole step: `registers` become the caller's; sets *outermost if there is no caller.
 * Returns 0, or -EINVAL if the row cannot be followed. */
int eh_frame_step(const struct unwind_row *row, uint64_t registers[REG_COUNT],
                  read_word_fn read_word, void *context, bool *outermost);
