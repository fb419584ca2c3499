/* recording_writer.h - writes a growing recording to disk.
 *
 * The recorder owns one `struct recording` and adds to it; each append writes what is new as
 * checksummed chunks, so after a kill at any byte the file opens with what it has.  Files have mode
 * 0600.  docs/recording-format.md describes the bytes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/recording.h"

struct recording_writer;

/* Creates `path` and writes the header; replaces a recording of that name, but no other file: see
 * place.h.  The file does not grow above `max_bytes` (0: no cap): older buckets are merged by age
 * instead, through a copy in the same folder.  Only a cap without room for the names, the stacks
 * and one bucket is raised, with a note.  Returns NULL with `fault` on failure. */
struct recording_writer *recording_writer_create(const char *path, uint64_t max_bytes,
                                                 struct fault *fault);
/* Like recording_writer_create, with the descriptor of growing_file_claim for that path.  Takes
 * ownership of the descriptor, also on failure. */
struct recording_writer *recording_writer_take(const char *path, int claim, uint64_t max_bytes,
                                               struct fault *fault);

/* Returns a descriptor of the file, for the caller to close: while it is open, no other process can
 * write a file of that name, and recording_writer_take makes the next one with it.  -1 if there is
 * none. */
int recording_writer_claim(const struct recording_writer *writer);

/* From now on, `behind` writes the file, so only the last call waits for the disk, and calls that
 * must merge older buckets at once.  If something cannot be written, a later call returns the
 * error.  `behind` must live longer than the writer. */
struct write_behind;
void recording_writer_write_behind(struct recording_writer *writer, struct write_behind *behind);

/* Writes all that is new since the last call: strings, modules, frames, locations, stacks, threads,
 * buckets, pins (a PIN_PEAK replaces the one before), notes, and the current totals, quality and
 * cost.  A frame may get its locations long after the frame was written.  Frees the cells of
 * written buckets and pins, and marks these as on disk (bucket.file_offset).
 *
 * Pass closed buckets only: each is written once.  Merging shortens recording->buckets, so keep no
 * index or pointer into its written part.  A peak that is replaced again and again may be written
 * late, by at most a tenth of the run; its cells then stay in the pin: free them before you set new
 * ones.  Coarsening is done in steps of some ten milliseconds, one per append.
 *
 * On failure (disk full) the file keeps what it had, everything unwritten stays in `recording`, and
 * the caller may try again.  Repeated failure costs bounded memory: the oldest unwritten buckets
 * are merged. */
int recording_writer_append(struct recording_writer *writer, struct recording *recording,
                            struct fault *fault);

/* Appends the rest and marks that the recorder ended in order; closes the file.  Frees the writer,
 * also on failure. */
int recording_writer_finish(struct recording_writer *writer, struct recording *recording,
                            struct fault *fault);
