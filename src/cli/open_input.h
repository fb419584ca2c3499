/* open_input.h - FILE of any command into a recording: one of ours, or another program's file.
 *
 * One table in the source lists the readers, each with how to tell its files by their first bytes.
 */
#pragma once

#include "model/recording.h"

/* NULL with a sentence in `fault`.  The caller destroys. */
struct recording *open_input(const char *path, struct fault *fault);
