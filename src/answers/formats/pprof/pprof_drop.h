/* pprof_drop.h - drop_frames and keep_frames of a profile: a function that matches, and all that
 * it calls, is not shown. */
#pragma once

#include "base/pattern/pattern.h"
#include "formats/pprof/pprof_profile.h"

struct pprof_drop {
    struct pattern *drop, *keep; /* NULL: none */
    bool is_odd; /* there is a rule that is not understood: it is as if it were not there */
};

void pprof_drop_init(struct pprof_drop *drop, const struct pprof_profile *profile);
void pprof_drop_fini(struct pprof_drop *drop);

/* A rule is not heeded: it is not understood, or was too much work for some name so far. */
bool pprof_drop_is_bad(const struct pprof_drop *drop);

/* Returns how many lines of the location, from the innermost on, are not shown: those within the
 * outermost that matches.  0: all are. */
uint32_t pprof_drop_lines(const struct pprof_drop *drop, const struct pprof_profile *profile,
                          const struct pprof_location *location);
