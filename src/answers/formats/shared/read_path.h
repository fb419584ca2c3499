/* read_path.h - what readers of packed text share: opening a path and reading it into a
 * recording. */
#pragma once

#include "formats/shared/input.h"
#include "model/recording.h"

/* Callback: reads `input` to its end and closes it (NULL: out of memory when it was opened).
 * Returns NULL with a sentence in `fault`. */
typedef struct recording *(*read_input_fn)(struct input *input, struct fault *fault);

/* Opens a file and calls `read`.  Returns NULL with a sentence that names the file. */
struct recording *read_path(const char *path, read_input_fn read, struct fault *fault);
