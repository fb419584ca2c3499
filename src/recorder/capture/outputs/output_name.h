/* output_name.h - the name of a recording's file if the person gave none. */
#pragma once

#include <limits.h>
#include <stdint.h>

#include "base/fault.h"
#include "capture/sessions/recording_wish.h"

/* Sets `path` to `output` if given; else to PROGRAM.PID.memoir in `folder`, or to
 * PROGRAM.PID-2.memoir and so on if that exists: an earlier process may have had this PID, and this
 * process may have been another program before. */
void output_name(char path[PATH_MAX], const char *output, const char *folder, const char *program,
                 uint32_t pid);

/* Checks whether a recording may be written where it is wished: no file of the user is overwritten,
 * unless that is wished, too.  Returns 0 or -errno. */
int output_check(const struct recording_wish *wish, struct fault *fault);

/* Keeps other processes from writing there until the descriptor is closed, which must be before
 * this process writes.  Returns a descriptor; -EBUSY with a sentence that names the other recorder;
 * or another -errno.  After a failure there is no claim. */
int output_claim(const char *path, struct fault *fault);

bool output_exists(const char *path);
/* Removes a file that we made; if `only_empty`, only if the file is empty. */
void output_remove(const char *path, bool only_empty);
/* Like place_put_aside. */
int output_put_aside(const char *path);

/* Tells the person if a recording could not be kept as small as wished. */
void output_tell_size(const char *path, uint64_t max_bytes, say_fn say);
