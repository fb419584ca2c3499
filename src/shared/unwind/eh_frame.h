/* eh_frame.h - what `.eh_frame` says about one instruction: where its caller's registers are.
 *
 * Pure: reads only the memory it is given, allocates nothing, keeps nothing; compiled into the
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
    bool is_debug_frame; /* low..high is .debug_frame, which has no header: see eh_frame_next */
};

enum place {
    PLACE_SAME,      /* unchanged */
    PLACE_UNDEFINED, /* not recoverable; for the return address: the outermost frame */
    PLACE_AT,        /* saved at CFA + offset */
    PLACE_IS,        /* is CFA + offset */
    PLACE_REGISTER,  /* in register `offset` */
    PLACE_AT_EXPR,   /* saved at the result of an expression */
    PLACE_IS_EXPR    /* is the result of an expression */
};

/* Small: rows lie on the stacks of other people's programs. */
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
    bool signal_frame; /* the caller was interrupted, not calling */
    struct register_rule registers[REG_COUNT];
};

/* The row for the instruction at `pc` (an address in the target).  0, -ENOENT when no table covers
 * it, -EINVAL when the tables are broken or use what we do not know. */
int eh_frame_row(const struct eh_view *view, uint64_t pc, struct unwind_row *row);

/* For tables that come without a header to search them by: each function they describe, in the
 * order they lie.  *offset begins with 0; false at the end.  What is broken is passed over. */
struct eh_entry {
    uint64_t start, end; /* addresses */
    uint32_t offset;     /* for eh_frame_row_at */
};
bool eh_frame_next(const struct eh_view *view, uint32_t *offset, struct eh_entry *entry);
/* The function that holds `pc`.  0, -ENOENT or -EINVAL as eh_frame_row; `offset` is not told. */
int eh_frame_function(const struct eh_view *view, uint64_t pc, struct eh_entry *entry);
/* As eh_frame_row, for the function at `offset`. */
int eh_frame_row_at(const struct eh_view *view, uint32_t offset, uint64_t pc,
                    struct unwind_row *row);

/* Memory of the walked stack.  false: not readable, the walk ends there. */
typedef bool (*read_word_fn)(void *context, uint64_t address, uint64_t *value);

/* Evaluates a DWARF expression over `registers` with `push_first` (the CFA, for register rules) on
 * the stack.  0 or -EINVAL. */
struct expr_input {
    const uint8_t *code;
    size_t size;
    const uint64_t *registers; /* REG_COUNT of them */
    bool has_first;
    uint64_t first;
    read_word_fn read_word;
    void *context;
    uint32_t *used; /* gets a bit for each register that it reads; may be NULL */
};
int eh_frame_evaluate(const struct expr_input *input, uint64_t *result);

/* One whole step with all registers: `registers` become the caller's, *outermost is set when there
 * is none.  0, or -EINVAL when the row cannot be followed. */
int eh_frame_step(const struct unwind_row *row, uint64_t registers[REG_COUNT],
                  read_word_fn read_word, void *context, bool *outermost);
