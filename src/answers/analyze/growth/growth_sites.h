/* growth_sites.h - inside the growth of a recording: the functions whose live bytes rise in the
 * judged stretch of time. */
#pragma once

#include "analyze/growth/recording_growth.h"

/* Fills the sites of `growth` for the time of growth->heap.  Returns 0 or -errno with `fault`. */
int growth_sites_find(struct recording *recording, struct recording_growth *growth,
                      struct fault *fault);
