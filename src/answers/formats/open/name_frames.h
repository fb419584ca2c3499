/* name_frames.h - finds names for frames of a file that has only addresses.
 *
 * `memoir` itself reads no binaries: memoir-record does, if they are on this machine. */
#pragma once

#include "model/recording.h"

/* Looks up every frame without a name that is in a module with a known address.  Adds notes to the
 * recording about what was found and what was not.  `path` is the file of the recording, to detect
 * binaries that are newer.  `helper` is the path of NAME_PROGRAM (name_lines.h); NULL if there is
 * none. */
void name_frames(struct recording *recording, const char *path, const char *helper);

/* For a process that must not start programs: from now on `start` starts the helper with these
 * descriptors as input and output, and returns 0 or -errno; `wait` waits for its end. */
void name_frames_start_by(int (*start)(int questions, int answers), int (*wait)(void));
