/* luggage.h - what travels to a program that this one becomes, or starts: our library and the
 * way to the arena, in two variables of its environment.  Where LD_PRELOAD is the user's
 * already, another one makes it two. */
#pragma once

#include <stdbool.h>

struct tracer_luggage {
    char library[4096]; /* path of ours */
    char arena[128];    /* "MEMOIR_ARENA=..." */
};
/* For exec, or for a child.  NULL when the next image is not to be traced: we are off, or it is
 * a child's or this is another process that only borrows our memory, and children are not
 * followed. */
const struct tracer_luggage *tracer_luggage(bool for_child);
/* A descriptor of the arena for a next image that will not be able to open it by name, because it
 * has less rights than this one; -1: it will, or there is none to be had.  It survives exec: the
 * next image closes it before main, and the caller when there is none. */
int tracer_luggage_ticket(void);
void tracer_luggage_return(int ticket);
/* The path of our library as it was packed, also if nothing travels now; "" if it never was. */
const char *tracer_luggage_library(void);
/* It was packed once, but where this process is now the next image could not use it. */
bool tracer_luggage_is_lost(void);
/* Counts an image that follows by exec without its luggage, if it should have had it; `program`
 * may be NULL. */
void tracer_left_behind(int by, const char *program);

/* From here on.  `library` ends at a colon.  `for_all`: for children too, not only for what this
 * process becomes. */
void luggage_pack(const char *library, const char *arena, bool for_all);
void luggage_drop(void);

/* As this program was given it; NULL when it was not. */
const char *luggage_arena(void);
const char *luggage_preload(void); /* ours is the first of it */
int luggage_ticket(void);          /* a number, of whatever it is by now; -1: none */
/* Takes it out of the environment; what the user had in LD_PRELOAD stays. */
void luggage_hide(void);
