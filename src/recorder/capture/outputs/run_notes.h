/* run_notes.h - what a recording lacks and why, for the person and for the recording. */
#pragma once

#include "capture/sessions/session_books.h"

/* Of the whole run: what found no place, or could not be followed.  `session` NULL: there is no
 * recording to say it in. */
void note_unrecorded(const struct arena *arena, struct session *session, say_fn say);
/* A program that forbade itself the system calls that tracing makes was let alone from then on. */
void note_confinement(const struct arena *arena, struct session *session,
                      const struct tick_clock *clock, say_fn say);
