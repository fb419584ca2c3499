/* pprof_modules.h - the mappings of a profile as modules of a recording. */
#pragma once

#include "formats/pprof/pprof_frames.h"

/* Fills frames->module_of and frames->bias for the profile at hand.  A file that is on this
 * machine, and of the same build, is looked into where addresses need it. 0 or -ENOMEM. */
int pprof_modules_find(struct pprof_frames *frames);
