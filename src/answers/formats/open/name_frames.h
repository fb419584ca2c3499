/* name_frames.h - names for frames that came from a file with addresses only.
 *
 * `memoir` itself reads no binaries: memoir-record does, where they are on this machine. */
#pragma once

#include "model/recording.h"

/* Looks up every frame that has no name, in a module whose place in the process is known.  What
 * is found and what is not is said in the notes of the recording; `path` is the file it was read
 * from, to tell binaries that are newer.  `helper` is the path of NAME_PROGRAM (name_lines.h),
 * NULL when it is not there. */
void name_frames(struct recording *recording, const char *path, const char *helper);

/* Has the helper started by others from now on, because this process may not: `start` gets what to
 * give as its input and output and returns 0 or -errno, `wait` waits for its end. */
void name_frames_start_by(int (*start)(int questions, int answers), int (*wait)(void));
