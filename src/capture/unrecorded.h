/* unrecorded.h - what of a run is in no recording, because a table was full or it could not be reached. */
#pragma once

#include "capture/session.h"

/* Says so, and in the recording of `session` unless that is NULL. */
void unrecorded_note(struct arena_header *header, struct session *session);
