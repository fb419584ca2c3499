/* pclntab.h - Go's own table of functions, lines and inlined calls, which survives `strip`.
 *
 * Reads the layouts of Go 1.2, 1.16, 1.18 and 1.20 (each until the next; the newest to this day);
 * inlined calls from Go 1.12 on.  Nothing is copied: the table points into the file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

enum pclntab_layout { PCLNTAB_1_2, PCLNTAB_1_16, PCLNTAB_1_18, PCLNTAB_1_20 };

/* Returns the bytes from a virtual address to the end of what is known there; empty if nothing
 * is. */
typedef struct slice (*pclntab_memory)(void *context, uint64_t address);

struct pclntab {
    enum pclntab_layout layout;
    struct slice table;
    struct slice names, unit_files, files, pc_values, functions; /* Parts of the table. */
    uint64_t function_count;
    uint32_t quantum;     /* Size of the smallest instruction. */
    uint64_t text_start;  /* Base of offsets, from 1.18 on. */
    bool before_1_13;     /* Layout 1.2 moved its inlined calls in Go 1.13; set by the caller. */
    uint64_t inline_base; /* Base of funcdata offsets, from 1.18 on; 0: no inlined calls. */
    pclntab_memory memory;
    void *context;
};

struct go_frame {
    struct slice function, file;
    uint32_t line;
};

/* Checks the header.  Returns 0 or -EINVAL.  From 1.18 on, the caller must then correct text_start
 * (0 in the file of a position-independent program) and set inline_base. */
int pclntab_init(struct pclntab *table, struct slice bytes);

/* Finds the frames at an address: innermost inlined call first, the real function last.  Returns
 * their number, 0 if the address is not in a Go function.  Of more than `room`, those before the
 * real function are cut. */
size_t pclntab_find(const struct pclntab *table, uint64_t address, struct go_frame *out,
                    size_t room);

/* How to unwind a Go function. */
enum go_stack_kind {
    GO_STACK_CALLED, /* The return address is `size` bytes above the stack pointer. */
    /* Like CALLED; but while it calls, r12 has its stack pointer, because it calls on the thread's
     * stack. */
    GO_STACK_IN_R12,
    GO_STACK_BEGINS, /* Has no caller: a goroutine or a thread begins here. */
    /* Called on another stack: the runtime switches to the thread's own stack, or back. */
    GO_STACK_SWITCHED,
    GO_STACK_SIGNAL /* Returns to what a signal interrupted. */
};
struct go_stack {
    enum go_stack_kind kind;
    uint32_t size;
    struct slice function;
};
/* Returns false if the address is in no Go function, or the table does not say. */
bool pclntab_stack(const struct pclntab *table, uint64_t address, struct go_stack *out);

/* Finds a function by its full name, as the table has it.  Looks at all functions in turn. */
bool pclntab_find_name(const struct pclntab *table, const char *name, uint64_t *begin,
                       uint64_t *end);

/* Returns the first and the last address that the table describes. */
bool pclntab_span(const struct pclntab *table, uint64_t *low, uint64_t *high);
