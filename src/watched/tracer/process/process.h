/* process.h - the beginnings and ends of the tracer in this process.  Only one thread at a time;
 * see attach.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Whether the program's calls come to us by themselves, by the order in which libraries were
 * loaded. */
bool tracer_is_preloaded(void);

bool tracer_is_starting(void); /* it is not decided yet whether by the environment */
bool tracer_is_on(void);       /* also in a forked child that has not looked yet */
bool tracer_is_attached(void); /* on, here, and a recorder reads */
/* Whether this epoch's arena is mapped, in a forked child too. */
bool tracer_has_epoch(uint64_t epoch);

/* Maps the arena that `fd` leads to.  0; -EBADF, -EINVAL: that is none; -EPROTO: it is of
 * another version of memoir; -ENOTSUP: beside a sanitizer's allocator there is no room for us;
 * -ENOMEM. */
int tracer_open(int fd);

/* Tracing begins, for all threads at one instant.  0 or -ENOSPC. */
int tracer_switch_on(void);

/* Tracing pauses, for all threads; threads may still be inside the arena.  false: it was not on.
 * Resumed, it goes on as it was; else it is to be closed.  Neither makes a system call. */
bool tracer_pause(void);
void tracer_resume(void);

/* Tracing ends; threads may still be inside the arena. */
void tracer_switch_off(void);
/* In a forked child whose thread is not inside the arena: unless children are followed, it goes
 * at once.  The child may be about to give up rights, and whatever it becomes must not be able
 * to write where its parent reads. */
void tracer_forked(void);

/* The tracer is off; the arena is unmapped when it is unused. */
void tracer_close(bool unused);
