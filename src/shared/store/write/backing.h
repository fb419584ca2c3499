/* backing.h - the open file of a recording that was read: cells are loaded from it on demand. */
#pragma once

#include "model/recording.h"
#include "store/chunks/cell_chunk.h"

#define NO_THREAD       UINT32_MAX
#define FAULT_NO_MEMORY "not enough memory to open the recording"

/* recording->backing, from opening to recording_destroy. */
struct backing {
    struct source source;
    struct chunk_packer *packer;
    uint32_t unknown_thread; /* Row for lost threads, or NO_THREAD. */
};

/* Loads the cells of the chunk at `offset`, with valid keys only; the caller frees.  Returns 0,
 * -EIO if there is no intact chunk, -EINVAL, or -ENOMEM. */
int backing_load_cells(struct recording *recording, uint64_t offset, struct cell_lists *lists);

/* For recording->load_bucket, recording->read_columns and recording->close. */
int backing_load_bucket(struct recording *recording, struct bucket *bucket, struct fault *fault);
int backing_read_columns(struct recording *recording, const struct bucket *bucket,
                         const bool *wanted, struct bucket_cells *into, struct fault *fault);
void backing_close(struct recording *recording);
