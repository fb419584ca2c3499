/* pclntab_function.h - one function record of Go's pclntab: name, values by address, inlined
 * calls.  Used only by pclntab.c. */
#pragma once

#include "symbols/go/pclntab.h"

struct pclntab_function {
    const struct pclntab *table;
    uint64_t begin;
    struct slice name;
    uint32_t files_at, lines_at, unit; /* Offsets of value sequences; first file of the unit. */
    uint32_t stack_at;                 /* The sequence of stack sizes. */
    bool is_top;                       /* Go's linker says that it has no caller. */
    uint64_t pcdata_at, funcdata_at;   /* In table->functions or, for layout 1.2, in the table. */
    uint32_t pcdata_count, funcdata_count;
    struct slice records; /* Base of the two offsets. */
};

struct pclntab_call {
    struct slice name;
    uint32_t parent_offset; /* From the function's begin: an instruction of the caller's line. */
};

bool pclntab_u32(struct slice bytes, uint64_t offset, uint32_t *value);
bool pclntab_u64(struct slice bytes, uint64_t offset, uint64_t *value);

bool pclntab_function_init(struct pclntab_function *function, const struct pclntab *table,
                           uint64_t begin, uint64_t record);
struct slice pclntab_function_file(const struct pclntab_function *function, uint64_t address);
uint32_t pclntab_function_line(const struct pclntab_function *function, uint64_t address);
/* Returns the bytes between the stack pointer and the return address; -1 if unknown. */
int32_t pclntab_function_stack(const struct pclntab_function *function, uint64_t address);

/* Finds the inlined call that contains the address; returns false if the address is in the function
 * itself. */
bool pclntab_function_inlined(const struct pclntab_function *function, uint64_t address,
                              struct pclntab_call *call);
