/* spool.h - what cannot be read twice, or not from everywhere, as a file of no name: what comes
 * through a pipe, what is packed.
 *
 * It lies in $TMPDIR or /tmp, and where neither takes it, in memory; it is gone when its
 * descriptor is closed. */
#pragma once

#include "base/fault.h"

/* All that `from` gives, as it is.  `name` is for sentences.  A descriptor to read from, the
 * caller's, or -errno. */
int spool_stream(int from, const char *name, struct fault *fault);

/* All of a packed file, unpacked, and as old as that file; as far as it can be unpacked, if not
 * all of it can. */
int spool_unpacked(const char *path, struct fault *fault);

/* For a process that soon cannot make files: one of the next calls takes the file that is made now.
 * Another descriptor of it, the caller's; -1 when there is none. */
int spool_reserve(void);
