/* pprof_drop.h - drop_frames and keep_frames of a profile: a function that matches is hidden, with
 * everything that it calls. */
#pragma once

#include "base/pattern/pattern.h"
#include "formats/pprof/pprof_profile.h"

struct pprof_drop {
    struct pattern *drop, *keep; /* NULL: none */
    bool is_odd;                 /* a rule is invalid, and is ignored */
};

void pprof_drop_init(struct pprof_drop *drop, const struct pprof_profile *profile);
void pprof_drop_fini(struct pprof_drop *drop);

/* Returns whether a rule is not applied: it is invalid, or matching took too long for a name so
 * far. */
bool pprof_drop_is_bad(const struct pprof_drop *drop);

/* Returns how many lines of the location are hidden, counted from the innermost: those up to the
 * outermost that matches.  0: none are. */
uint32_t pprof_drop_lines(const struct pprof_drop *drop, const struct pprof_profile *profile,
                          const struct pprof_location *location);
