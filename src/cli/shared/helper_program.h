/* helper_program.h - where the programs beside `memoir` are, and its library: in its own folder
 * when built, in libexec and lib once installed. */
#pragma once

#include <limits.h>

/* The path of helper `name` (as "memoir-png"), which may be executed.
 * 0, or -ENOENT when there is none in either place; `path` is then the one in libexec. */
int helper_program_path(const char *name, char path[PATH_MAX]);

/* The path of libmemoir.so, which goes into watched programs.  As above, with -ENOENT and lib. */
int library_path(char path[PATH_MAX]);
