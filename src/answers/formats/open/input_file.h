/* input_file.h - a file of any format in the table of input_registry.h, plain or packed, into a
 * recording.
 *
 * Paths are as in input_path.h: "-" is standard input, and pipes are read once. */
#pragma once

#include "model/recording.h"

/* What a path leads to, as far as its first bytes say. */
enum input_kind {
    INPUT_RECORDING, /* also one that is still empty */
    /* what input_file_read reads at once: other programs' files, packed ones, pipes; or says why
     * it does not */
    INPUT_FOREIGN,
    INPUT_RUN,     /* a folder */
    INPUT_HISTORY, /* SQLite */
};
/* -errno with a sentence when it cannot be read at all. */
int input_file_kind(const char *path, struct fault *fault);

/* NULL with a sentence; the caller destroys.  `helper` looks up names of addresses:
 * name_frames.h. */
struct recording *input_file_read(const char *path, const char *helper, struct fault *fault);
