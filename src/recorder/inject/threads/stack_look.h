/* stack_look.h - finds out from its whole stack what a stopped thread is doing. */
#pragma once

#include "inject/library/target_modules.h"
#include "machine/registers.h"

enum stack_verdict {
    STACK_FREE, /* May be borrowed. */
    STACK_BUSY, /* In the loader, an allocator, or other code that holds a lock that we need. */
    STACK_IN_HANDLER, /* In a signal handler. */
    STACK_UNKNOWN,    /* The stack cannot be walked to its end. */
    /* The stack goes through an object whose tables are not copied yet: release the thread, prepare
     * the object, look again. */
    STACK_UNPREPARED
};

struct stack_view {
    enum stack_verdict verdict;
    struct target_module *unprepared; /* NULL: the list of objects is out of date. */
    unsigned frames;                  /* Walked. */
    uint64_t where;                   /* The frame that decided. */
};

/* The thread must be stopped meanwhile. */
void stack_look(const struct target_modules *modules, const uint64_t registers[REG_COUNT],
                struct stack_view *view);
