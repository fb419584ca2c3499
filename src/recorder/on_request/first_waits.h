/* first_waits.h - the stacks of threads that already wait when their time begins to be measured: no
 * event told when they stopped running. */
#pragma once

#include "model/recording.h"

struct first_waits;

/* Looks at all threads now (thread_dump.h).  Returns NULL on failure; the notes of `recording` say
 * why. */
struct first_waits *first_waits_look(uint32_t pid, struct recording *recording);
void first_waits_free(struct first_waits *first); /* NULL is allowed */

/* Returns the stack of a wait in `recording`: its own, or that of its thread from the first look,
 * if the thread has waited ever since.  All waits of a thread must be passed, in order of time. */
stack_id first_waits_stack(struct first_waits *first, struct recording *recording,
                           const struct moment *wait);
