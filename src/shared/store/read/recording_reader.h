/* recording_reader.h - a recording file back into a `struct recording`. */
#pragma once

#include "model/recording.h"

/* Opens `path`, also while it is still being written.  Bad chunks are skipped and counted in
 * quality.damaged_chunks, a torn tail in quality.truncated_bytes, with a note each; of a file
 * that grows the tail just being written is left out in silence (recording->being_written).
 * Bucket cells stay on disk until recording_load_bucket.  NULL with `fault` filled when it is no
 * recording at all. */
struct recording *recording_read(const char *path, struct fault *fault);

/* Like recording_read, from memory, for tests; `data` is copied. */
struct recording *recording_read_bytes(const void *data, size_t size, struct fault *fault);

/* True when `head`, the first bytes of a file (16 are enough), begins a recording of ours. */
bool recording_recognise(const void *head, size_t size);
