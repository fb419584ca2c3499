/* export_to.h - exports for tests: into memory, or into a file with a name of its own. */
#pragma once

#include "formats/shared/registry.h"

/* Writes `job` in a format, plain or packed as the format has it.  The bytes, with a final NUL; the
 * caller frees.  NULL with `fault` when the writer refused. */
char *export_to_memory(const char *format, struct export_job *job, size_t *size,
                       struct fault *fault);

/* The same into a new file; `path` ends in "XXXXXX" + `suffix` and is filled in.  The test removes
 * it. */
void export_to_file(const char *format, struct export_job *job, char *path, const char *suffix);
