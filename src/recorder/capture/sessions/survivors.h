/* survivors.h - who goes on after the program, and is recorded: a recording with children lasts as
 * long as they do.
 *
 * Those of the arena's list, and those that have the arena and are not in the list yet: a daemon
 * enters it with its first event, and the one that forked it may be gone long before.  A process
 * that becomes another program has neither for an instant, so it takes two looks to find that
 * there is nobody.  One that has only the name of the arena may never load our library (a static
 * program): it is waited for a second at most.  Not thread-safe. */
#pragma once

#include <stdbool.h>

#include "capture/rings/arena.h"

struct survivors {
    uint64_t look_ns;     /* when they are looked for again */
    unsigned looks_alone; /* so often in a row there was nobody */
    unsigned looks_named; /* ... only one that has the name */
    uint32_t unlisted;    /* one that is not in the list, as far as is known */
};

/* Whether there are any besides process `program`, which has ended.  Looks at the processes of the
 * machine only when nobody of the list is left, and fifty times a second at most.  False for ever
 * once it was false. */
bool survivors_are_there(struct survivors *survivors, struct arena *arena, uint32_t program);
