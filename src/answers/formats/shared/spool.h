/* spool.h - copies data that cannot be read twice (from a pipe), or that is packed, to a file
 * without a name.
 *
 * The file is in $TMPDIR or /tmp; if neither has room, in memory.  It is gone when its descriptor
 * is closed. */
#pragma once

#include "base/fault.h"

/* Copies everything from `from`.  `name` is for sentences.  Returns a descriptor for reading, which
 * the caller closes; or -errno. */
int spool_stream(int from, const char *name, struct fault *fault);

/* Unpacks a file; the copy has the modification time of that file.  If not everything can be
 * unpacked, copies as much as possible.  Returns what spool_stream returns. */
int spool_unpacked(const char *path, struct fault *fault);

/* For a process that soon must not create files: creates a file now that one of the next calls
 * uses.  Returns another descriptor of the file, which the caller closes; -1 if there is none. */
int spool_reserve(void);
