/* input_file.h - reads a file of any format of input_registry.h, plain or packed, into a recording.
 *
 * Paths are as in input_path.h: "-" is standard input, and a pipe is read once. */
#pragma once

#include "model/recording.h"

/* What kind of file a path is, judged by its first bytes. */
enum input_kind {
    INPUT_RECORDING, /* also an empty one, which is still being written */
    /* input_file_read reads it as a whole: files of other programs, packed files, pipes; or says
     * why not */
    INPUT_FOREIGN,
    INPUT_RUN,     /* a folder */
    INPUT_HISTORY, /* SQLite */
};
/* Returns an enum input_kind; -errno with a sentence if the file cannot be read at all. */
int input_file_kind(const char *path, struct fault *fault);

/* Reads the file; the caller destroys the recording.  `helper` finds names of addresses, see
 * name_frames.h.  Returns NULL with a sentence. */
struct recording *input_file_read(const char *path, const char *helper, struct fault *fault);
