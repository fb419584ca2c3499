/* time_profile.h - where a process spends its time during some seconds. */
#pragma once

#include "formats/pprof/pprof_samples.h"

struct time_profile {
    struct pprof_samples samples; /* In a recording of its own: samples or waits, and ns. */
};

/* Samples for `seconds`, or until the process ends.  `waits`: also records threads that do not run,
 * so that all time of every thread is in the profile.  Returns 0, or -errno with one sentence that
 * says what is not permitted, and what would help. */
int time_profile_collect(struct time_profile *profile, uint32_t pid, uint32_t seconds, bool waits,
                         struct fault *fault);
void time_profile_fini(struct time_profile *profile);

/* Writes one line per stack, outermost function first, and ns. */
int time_profile_write_folded(struct time_profile *profile, FILE *file, struct fault *fault);
