/* survivors.h - finds recorded processes that still run after the program has ended: a recording
 * with children lasts as long as they do.
 *
 * These are processes in the arena's list, and processes that have the arena but are not in the
 * list yet: a daemon enters the list with its first event, when its parent may be long gone.  A
 * process that executes another program is neither for an instant, so two looks in a row must find
 * none.  A process that has only the name of the arena in its environment may never load our
 * library (a static program): it is waited for a second at most.  Not thread-safe. */
#pragma once

#include <stdbool.h>

#include "capture/rings/arena.h"

struct survivors {
    uint64_t look_ns;     /* When to look again. */
    unsigned looks_alone; /* Number of looks in a row that found none. */
    unsigned looks_named; /* Number of looks in a row that found only a process with the name. */
    uint32_t unlisted;    /* A process that is not in the list, as far as is known. */
};

/* Returns whether recorded processes besides `program`, which has ended, still run.  Looks at all
 * processes of the machine only if none of the list is left, and at most fifty times a second.
 * Once false, always false. */
bool survivors_are_there(struct survivors *survivors, struct arena *arena, uint32_t program);
