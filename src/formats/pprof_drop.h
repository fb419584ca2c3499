/* pprof_drop.h - drop_frames and keep_frames of a profile: a function that matches, and all that it calls, is not shown. */
#pragma once

#include <regex.h>

#include "formats/pprof_profile.h"

struct pprof_drop {
    regex_t drop, keep;
    bool is_used, has_keep;
    bool is_bad; /* there is a rule that is not understood: it is as if it were not there */
};

void pprof_drop_init(struct pprof_drop *drop, const struct pprof_profile *profile);
void pprof_drop_fini(struct pprof_drop *drop);

/* How many lines of the location, from the innermost on, are not shown: those within the outermost that matches.  0: all are. */
uint32_t pprof_drop_lines(const struct pprof_drop *drop, const struct pprof_profile *profile,
                          const struct pprof_location *location);
