/* output_name.h - what a recording's file is called when nobody said. */
#pragma once

#include <limits.h>
#include <stdint.h>

#include "base/fault.h"
#include "capture/sessions/recording_wish.h"

/* `output` if there is one; else PROGRAM.PID.memoir in `folder`, PROGRAM.PID-2.memoir and so on
 * if there is one: processes may have had the same number before, and this one may have been
 * another program. */
void output_name(char path[PATH_MAX], const char *output, const char *folder, const char *program,
                 uint32_t pid);

/* Whether a recording may be written where it is wished: nothing of the user's is overwritten,
 * unless that is wished, too.  0 or -errno. */
int output_check(const struct recording_wish *wish, struct fault *fault);

/* Keeps others from writing there until the descriptor is closed, which must be before we do.  A
 * descriptor, -EBUSY with a sentence that names the other recorder, or another -errno: then
 * nobody is kept. */
int output_claim(const char *path, struct fault *fault);

bool output_exists(const char *path);
/* A file of ours; when `only_empty`, only if nothing is in it. */
void output_remove(const char *path, bool only_empty);
/* As place_put_aside. */
int output_put_aside(const char *path);

/* Says so when a recording could not be kept as small as wished. */
void output_tell_size(const char *path, uint64_t max_bytes, say_fn say);
