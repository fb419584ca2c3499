/* time_profile.h - where the time of a process goes during some seconds. */
#pragma once

#include "formats/pprof/pprof_samples.h"

struct time_profile {
    struct pprof_samples samples; /* of a recording of its own: samples or waits, and ns */
};

/* Looks for so many seconds, or until the process ends; `waits`: also at threads that do not
 * run, so that all time of every thread is in it.  0, or -errno with one sentence: what is not
 * permitted, and what would help. */
int time_profile_collect(struct time_profile *profile, uint32_t pid, uint32_t seconds, bool waits,
                         struct fault *fault);
void time_profile_fini(struct time_profile *profile);

/* One line per stack, outermost function first, and ns. */
int time_profile_write_folded(struct time_profile *profile, FILE *file, struct fault *fault);
