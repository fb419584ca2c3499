/* glibc_arenas.h - the arenas of glibc's malloc, read from outside while the program runs.
 *
 * The main arena is found without symbols, by its form in libc's data: a ring of arenas that is
 * closed.  Sizes are those that malloc_info prints.  Free blocks are counted by following the
 * lists, up to a limit.  If the program changes a list meanwhile, the blocks counted so far are
 * reported as "at least". */
#pragma once

#include "model/memory/breakdown.h"
#include "runtimes/process_bytes.h"

#define GLIBC_ARENAS_MAX 1024u
#define GLIBC_READS_MAX  512u       /* pages: about a millisecond */
#define GLIBC_READS_DEEP (1u << 22) /* with breakdown.deep */
#define GLIBC_STEPS_MAX  (1u << 23) /* blocks */

/* Claims thread arenas and large blocks, and adds a view; does nothing if the program has no glibc
 * or does not use its malloc.  Returns 0 or -errno; -ENOENT if no arena was found. */
int glibc_arenas_look(struct breakdown *breakdown, const struct process_bytes *process);
