/* read_path.h - what readers of packed text have in common: from a path to a recording. */
#pragma once

#include "formats/shared/input.h"
#include "model/recording.h"

/* Reads all of `input`, which it closes (NULL: there was no memory for one).  NULL with a
 * sentence in `fault`. */
typedef struct recording *(*read_input_fn)(struct input *input, struct fault *fault);

/* Has `read` read a file.  NULL with a sentence that names the file. */
struct recording *read_path(const char *path, read_input_fn read, struct fault *fault);
