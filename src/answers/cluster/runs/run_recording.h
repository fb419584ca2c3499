/* run_recording.h - makes one recording from the profiles of a run.  Each snapshot ends a bucket,
 * so everything that shows a recording can show a run.
 *
 * If there are several nodes, each is an outermost frame.  As in formats/pprof/pprof_series.h,
 * levels stay levels, counters since the start of a process become increments, and restarts are
 * detected. */
#pragma once

#include "cluster/runs/run.h"
#include "model/recording.h"

struct pprof_profile;
/* Reads a file of the run as a pprof profile, which the caller frees with pprof_destroy.  NULL with
 * a sentence, which does not name the file; `fault` may be NULL. */
struct pprof_profile *run_profile_read(const struct run *run, const struct run_file *file,
                                       struct fault *fault);

/* Parses a kind: "heap", "cpu", "goroutine", "mutex", "block".  Returns 0; -EINVAL for any other
 * word. */
int run_kind_of_word(const char *word, enum run_kind *kind);

/* Returns the word for a kind; NULL: recordings cannot be made of this kind. */
const char *run_kind_word(enum run_kind kind);

/* Makes a recording.  Its time begins with the first capture of the whole run, whichever node it is
 * of.  `node` is a name or a nick; NULL: all nodes.  `kind` is a word; NULL: heap, or the first
 * kind that the run has.  Profiles that cannot be read are left out, and a note has their number.
 * Returns NULL with a sentence. */
struct recording *run_recording_of(const struct run *run, const char *node, const char *kind,
                                   struct fault *fault);
/* Like run_recording_of, for the folder of a run. */
struct recording *run_recording_read(const char *path, const char *node, const char *kind,
                                     struct fault *fault);
