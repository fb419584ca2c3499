/* process.h - begins and ends tracing in this process.  Only one thread at a time may call this;
 * see attach.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns whether the program's calls reach us by the order in which the libraries were loaded. */
bool tracer_is_preloaded(void);

bool tracer_is_starting(void); /* It is not decided yet, from the environment, whether to trace. */
bool tracer_is_on(void);       /* Also in a forked child that has not looked yet. */
bool tracer_is_attached(void); /* On, in this process, and a recorder reads. */
/* Returns whether the arena of this epoch is mapped, also in a forked child. */
bool tracer_has_epoch(uint64_t epoch);

/* Maps the arena of `fd`.  Returns 0; -EBADF, -EINVAL: not an arena; -EPROTO: the arena of another
 * version of memoir; -ENOTSUP: the program has a sanitizer's allocator; -ENOMEM. */
int tracer_open(int fd);

/* Begins tracing for all threads at one instant.  Returns 0 or -ENOSPC. */
int tracer_switch_on(void);

/* tracer_pause pauses tracing for all threads; threads may still be inside the arena.  Returns
 * false if tracing was not on.  After it, either tracer_resume continues tracing as before, or the
 * tracer is to be closed.  Neither makes a system call. */
bool tracer_pause(void);
void tracer_resume(void);

/* Ends tracing; threads may still be inside the arena. */
void tracer_switch_off(void);
/* To be called in a forked child whose thread is not inside the arena: unless children are
 * followed, unmaps the arena at once.  The child may be about to give up rights, and must then not
 * be able to write where its parent reads. */
void tracer_forked(void);

/* The tracer must be off.  Unmaps the arena if it is unused. */
void tracer_close(bool unused);
