/* run_recording.h - the profiles of a run as one recording: each snapshot ends a bucket, so
 * everything that shows a recording shows a run.
 *
 * Of several nodes each is an outermost frame of its own.  What is told by
 * formats/pprof/pprof_series.h holds: levels are levels, counters since a process began are
 * increments, restarts are noticed. */
#pragma once

#include "cluster/runs/run.h"
#include "model/recording.h"

struct pprof_profile;
/* Reads a file of the run as a pprof profile, which the caller frees with pprof_destroy.  NULL with
 * a sentence, which does not name the file; `fault` may be NULL. */
struct pprof_profile *run_profile_read(const struct run *run, const struct run_file *file,
                                       struct fault *fault);

/* What a word asks for: "heap", "cpu", "goroutine", "mutex", "block".  -EINVAL for any other. */
int run_kind_of_word(const char *word, enum run_kind *kind);

/* Returns what a recording of `kind` is called; NULL: it is none that recordings are made of. */
const char *run_kind_word(enum run_kind kind);

/* Time in it is that of the run, whichever node it is of: since the first capture of all.
 * `node` is the name or nick of one; NULL: all.  `kind` is a word; NULL: heap, or the first that
 * there is.  Profiles that cannot be read are left out and counted in a note.  NULL with a
 * sentence. */
struct recording *run_recording_of(const struct run *run, const char *node, const char *kind,
                                   struct fault *fault);
/* Like run_recording_of, for the folder of a run. */
struct recording *run_recording_read(const char *path, const char *node, const char *kind,
                                     struct fault *fault);
