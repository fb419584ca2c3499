/* recording_writer.h - a growing recording, kept on disk.
 *
 * The capturing side owns one `struct recording` and lets it grow; each append writes what is new
 * in it as checksummed chunks, so that the file opens, as far as it got, after a kill at any byte.
 * Files are created 0600.  docs/recording-format.md has the bytes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/recording.h"

struct recording_writer;

/* Creates `path` (replacing a recording of that name, but nothing else: place.h) and writes the
 * header.  `max_bytes`: the file does not grow past it; older buckets are merged by age instead,
 * through a copy beside it; 0 means no cap.  Only a cap with no room for the names, the stacks
 * and one bucket gives way, with a note.  NULL with `fault` filled on failure. */
struct recording_writer *recording_writer_create(const char *path, uint64_t max_bytes,
                                                 struct fault *fault);
/* Like recording_writer_create, with a descriptor of growing_file_claim of that path, which is
 * taken, also after a failure. */
struct recording_writer *recording_writer_take(const char *path, int claim, uint64_t max_bytes,
                                               struct fault *fault);

/* Lets `behind` write to the file from now on, so that no call but the last waits for the disk,
 * unless older buckets must be merged at once.  What cannot be written is then told by a later
 * call.  `behind` must live longer. */
struct write_behind;
void recording_writer_write_behind(struct recording_writer *writer, struct write_behind *behind);

/* Writes all that is new since the last call: strings, modules, frames, locations, stacks,
 * threads, buckets, pins (a pin of kind PEAK replaces the one before), notes, and the current
 * totals, quality and cost.  A frame may get its locations long after it was written itself.  Cells
 * of written buckets and pins are freed and marked as on disk (bucket.file_offset).
 *
 * Buckets must be closed when they are passed: they are written once.  Merging shortens
 * recording->buckets, so keep no index or pointer into its written part.  The picture of a peak
 * that is replaced all the time may be held back, for at most a tenth of the run; its cells then
 * stay in the pin: free them before you put others there.  Coarsening is
 * done a little at each append, some ten milliseconds at a time.
 *
 * On failure (disk full) the file keeps what it had,
 * everything unwritten stays in `recording` and the call may be repeated; repeated failure costs
 * memory only up to a bound: the oldest unwritten buckets are merged. */
int recording_writer_append(struct recording_writer *writer, struct recording *recording,
                            struct fault *fault);

/* The last append, with the mark that the recorder ended in order, then close.  Frees the writer in
 * every case. */
int recording_writer_finish(struct recording_writer *writer, struct recording *recording,
                            struct fault *fault);
