/* run_pick.h - opens the run that a command line names: a folder, or some of the *.metrics files in
 * a folder. */
#pragma once

#include "cluster/runs/run.h"

/* Opens the run of the folder.  If files are named, other *.metrics files are left out; files of
 * other kinds are not affected.  A named inventory is ignored, because it is found anyway.  Returns
 * NULL with a sentence. */
struct run *run_pick(char *const *words, size_t count, struct fault *fault);
