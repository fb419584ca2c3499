/* open_input.h - reads the FILE of a command into a recording: a file of any kind
 * (formats/open/input_file.h), or the folder of a run. */
#pragma once

#include "model/recording.h"
#include "report/rows/selection.h"

/* Returns NULL with a sentence in `fault` on failure.  The caller destroys the recording. */
struct recording *open_input(const char *path, struct fault *fault);
/* Like open_input; from a run, reads the node and the kind of profile that --node and --kind
 * chose. */
struct recording *open_selected_input(const char *path, const struct selection *selection,
                                      struct fault *fault);
