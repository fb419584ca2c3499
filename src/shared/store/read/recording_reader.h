/* recording_reader.h - reads a recording file into a `struct recording`. */
#pragma once

#include "model/recording.h"

/* Opens `path`, also while it is being written.  Damaged chunks are skipped and counted in
 * quality.damaged_chunks, incomplete bytes at the end in quality.truncated_bytes, each with a note.
 * While a recorder writes the file (recording->being_written), incomplete bytes at the end are
 * ignored.  Cells of buckets stay on disk until recording_load_bucket.  Returns NULL with `fault`
 * if the file is no recording. */
struct recording *recording_read(const char *path, struct fault *fault);

/* Like recording_read, from memory, for tests.  Copies `data`. */
struct recording *recording_read_bytes(const void *data, size_t size, struct fault *fault);

/* Returns whether `head`, the first bytes of a file (16 are enough), are those of a recording. */
bool recording_recognise(const void *head, size_t size);
