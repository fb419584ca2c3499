/* frame.h - modules (executables and libraries), source positions, and the frames of call stacks.
 *
 * Addresses are ELF virtual addresses inside a module. */
#pragma once

#include <stdint.h>

#include "model/string_table.h"

struct module {
    string_id path;
    string_id build_id;  /* Lower-case hex digits; may be empty. */
    uint64_t start, end; /* Mapped address range, for people and for pprof; 0 if unknown. */
    uint64_t bias;       /* Mapped address minus ELF virtual address. */
    /* While recording: prefix of `path` if the process has another root directory, else NULL.  Not
     * stored in files; the text is never freed. */
    const char *root;
};

/* One source position.  A frame has one location per inlined function, innermost first, and the
 * real function last.  A frame without locations has no known name. */
struct location {
    string_id function; /* Demangled name; empty if unknown. */
    string_id symbol;   /* Name in the symbol table; may be empty. */
    string_id file;
    uint32_t line; /* 0 if unknown. */
};

#define MODULE_NONE UINT32_MAX
/* Path of the module of kernel frames; their addresses are kernel addresses. */
#define KERNEL_PATH "[kernel]"
/* Name of the single frame that stands for a sum without stacks, in a foreign file that gives other
 * numbers by stack. */
#define UNTOLD_FRAME "[not told by call site]"

struct frame {
    uint32_t module; /* Index into modules, or MODULE_NONE. */
    uint32_t first_location, location_count;
    /* For a frame without a name: distance of its address from the first instruction of its
     * function, plus 1; 0 if unknown. */
    uint32_t into_function;
    uint64_t address; /* Of the call: return address minus one, minus the module's bias. */
};
