/* stack_look.h - what a stopped thread is in the middle of, told from its whole stack. */
#pragma once

#include "inject/library/target_modules.h"
#include "machine/registers.h"

enum stack_verdict {
    STACK_FREE,       /* may be borrowed */
    STACK_BUSY,       /* in the loader, an allocator, or something else that holds a lock we need */
    STACK_IN_HANDLER, /* in a signal handler */
    STACK_UNKNOWN,    /* cannot be followed to its end */
    /* goes through an object whose tables are not here yet: let the thread go, prepare it, come
     * again */
    STACK_UNPREPARED
};

struct stack_view {
    enum stack_verdict verdict;
    struct target_module *unprepared; /* NULL: the list of objects is old */
    unsigned frames;                  /* walked */
    uint64_t where;                   /* the frame that decided */
};

/* The thread must stand still meanwhile. */
void stack_look(const struct target_modules *modules, const uint64_t registers[REG_COUNT],
                struct stack_view *view);
