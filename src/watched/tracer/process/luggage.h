/* luggage.h - what a program that this one executes or starts gets with it: our library and the way
 * to the arena, in two variables of its environment.  If the user has an LD_PRELOAD already, our
 * library only extends that, and another variable (MEMOIR_ROOM) makes it two. */
#pragma once

#include <stdbool.h>

struct tracer_luggage {
    char library[4096]; /* Path of our library. */
    char arena[128];    /* "MEMOIR_ARENA=..." */
};
/* Returns the luggage for exec, or for a child.  NULL if the next program is not to be traced:
 * tracing is off; or children are not followed, and it is for a child or this is another process
 * that shares our memory. */
const struct tracer_luggage *tracer_luggage(bool for_child);
/* Returns a descriptor of the arena for a next program that will not be able to open it by name,
 * because it has fewer rights; -1: the program can open it, or no descriptor is left.  The
 * descriptor survives exec: the next program closes it before main, or the caller
 * (tracer_luggage_return) if there is no next program. */
int tracer_luggage_ticket(void);
void tracer_luggage_return(int ticket);
/* Returns the path of our library as it was packed, also if there is no luggage now; "" if it never
 * was packed. */
const char *tracer_luggage_library(void);
/* Returns whether luggage was packed once, but the next program could not use it where this process
 * is now. */
bool tracer_luggage_is_lost(void);
/* Returns whether the shell of system or popen should have the luggage, but will not: the program's
 * environment, which is all that libc hands to it, does not lead it to the recorder. */
bool tracer_luggage_misses_shell(void);
/* Counts a program that is executed without luggage, if it should have had it; `program` may be
 * NULL. */
void tracer_left_behind(int by, const char *program);

/* luggage_pack sets the luggage from now on; luggage_drop ends that.  `library` ends at a colon.
 * `for_all`: also for children, not only for what this process executes. */
void luggage_pack(const char *library, const char *arena, bool for_all);
void luggage_drop(void);

/* What this program was given; NULL if nothing. */
const char *luggage_arena(void);
const char *luggage_preload(void); /* Our library is the first in it. */
int luggage_ticket(void); /* A descriptor number, which may be anything by now; -1: none. */
/* Removes the luggage from the environment; what the user had in LD_PRELOAD stays. */
void luggage_hide(void);
