/* run_program.h - runs another program for a test and keeps what it printed. */
#pragma once

#include <stddef.h>

/* Its exit status, with what it wrote to stdout and stderr in `out` (cut to `size`, with a final
 * NUL); -1 when it cannot be started. */
int run_program(char *const argv[], char *out, size_t size);
