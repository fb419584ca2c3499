/* open_input.h - FILE of any command into a recording: a file of any kind
 * (formats/open/input_file.h), or the folder of a run. */
#pragma once

#include "model/recording.h"
#include "report/rows/selection.h"

/* NULL with a sentence in `fault`.  The caller destroys. */
struct recording *open_input(const char *path, struct fault *fault);
/* Like open_input; --node and --kind may have chosen from a run. */
struct recording *open_selected_input(const char *path, const struct selection *selection,
                                      struct fault *fault);
