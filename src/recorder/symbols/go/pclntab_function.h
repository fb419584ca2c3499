/* pclntab_function.h - one function record of Go's pclntab: name, values by address, inlined calls.
 * Used by pclntab.c alone. */
#pragma once

#include "symbols/go/pclntab.h"

struct pclntab_function {
    const struct pclntab *table;
    uint64_t begin;
    struct slice name;
    uint32_t files_at, lines_at, unit; /* offsets of value sequences; first file of the unit */
    uint32_t stack_at;                 /* the sequence of stack sizes */
    bool is_top;                       /* Go's linker says that nobody called it */
    uint64_t pcdata_at, funcdata_at;   /* in table->functions or, 1.2, the table */
    uint32_t pcdata_count, funcdata_count;
    struct slice records; /* what the two offsets count from */
};

struct pclntab_call {
    struct slice name;
    uint32_t parent_offset; /* from the function's begin: an instruction of the caller's line */
};

bool pclntab_u32(struct slice bytes, uint64_t offset, uint32_t *value);
bool pclntab_u64(struct slice bytes, uint64_t offset, uint64_t *value);

bool pclntab_function_init(struct pclntab_function *function, const struct pclntab *table,
                           uint64_t begin, uint64_t record);
struct slice pclntab_function_file(const struct pclntab_function *function, uint64_t address);
uint32_t pclntab_function_line(const struct pclntab_function *function, uint64_t address);
/* Bytes between the stack pointer and the return address; -1 unknown. */
int32_t pclntab_function_stack(const struct pclntab_function *function, uint64_t address);

/* The inlined call the address lies in; false when it is in the function itself. */
bool pclntab_function_inlined(const struct pclntab_function *function, uint64_t address,
                              struct pclntab_call *call);
