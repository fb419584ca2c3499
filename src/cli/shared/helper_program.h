/* helper_program.h - finds the programs beside `memoir`, and its library: in the folder of `memoir`
 * in a build, in libexec and lib when installed. */
#pragma once

#include <limits.h>

/* Finds the executable program `name`, such as "memoir-png".  Returns 0; or -ENOENT, with the path
 * in libexec, if neither folder has the program. */
int helper_program_path(const char *name, char path[PATH_MAX]);

/* Finds libmemoir.so, which is loaded into watched programs.  Returns 0; or -ENOENT, with the path
 * in lib. */
int library_path(char path[PATH_MAX]);
