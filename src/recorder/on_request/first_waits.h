/* first_waits.h - the stacks of threads that wait already when somebody begins to measure their
 * time: nothing told of them when they stopped running. */
#pragma once

#include "model/recording.h"

struct first_waits;

/* Looks at all threads now (thread_dump.h).  NULL when that cannot be; the notes of `recording`
 * say why. */
struct first_waits *first_waits_look(uint32_t pid, struct recording *recording);
void first_waits_free(struct first_waits *first); /* NULL is allowed */

/* The stack of a wait in `recording`: its own, or that of its thread when looked at, as long as
 * the thread still waits since then.  Of each thread all waits must come here, in order of time. */
stack_id first_waits_stack(struct first_waits *first, struct recording *recording,
                           const struct moment *wait);
