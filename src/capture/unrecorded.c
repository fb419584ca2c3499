/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/unrecorded.h"

#include <stdio.h>

/* A sentence about the whole run that begins with a number: for the person, and for one recording. */
static void note_if_any(struct session *session, uint32_t number, const char *what)
{
    char text[256];
    if (number == 0)
        return;
    snprintf(text, sizeof(text), "%u %s", number, what);
    fprintf(stderr, "memoir: %s\n", text);
    if (session)
        session_note(session, text);
}

void unrecorded_note(struct arena_header *header, struct session *session)
{
    note_if_any(session, atomic_load(&header->unlisted_processes),
                "processes were not recorded: at most 1024 can be at the same time");
    note_if_any(session, atomic_load(&header->left_behind),
                "programs were not recorded: they ran where the recorder cannot be reached (in a "
                "container, a chroot, as another user), or cannot have our library (another libc, "
                "32 bits, address sanitizer)");
    note_if_any(session, atomic_load(&header->unlisted_modules),
                "libraries found no place in the list of 8191: their functions have no names");
}
_Static_assert(ARENA_PROCESSES == 1024 && ARENA_MODULES == 8192, "the sentences above say so");
