/* run_notes.h - what a recording lacks and why, for the person and for the recording. */
#pragma once

#include "capture/sessions/session_books.h"

/* Notes what found no room in the whole run, or could not be followed.  `session` NULL: there is no
 * recording to note it in. */
void note_unrecorded(const struct arena *arena, struct session *session, say_fn say);
/* Notes how many processes were started that are not recorded because the person did not ask for
 * children.  Where they are recorded, notes nothing. */
void note_children(const struct arena *arena, struct session *session, say_fn say);
/* Notes that a program forbade itself the system calls that tracing makes, and was not traced from
 * then on. */
void note_confinement(const struct arena *arena, struct session *session,
                      const struct tick_clock *clock, say_fn say);
