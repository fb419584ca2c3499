/* growth_sites.h - inside the growth of a recording: whose live bytes rise in the stretch of time that was judged. */
#pragma once

#include "analyze/growth/recording_growth.h"

/* Fills the sites from growth->heap.  0 or -errno with `fault`. */
int growth_sites_find(struct recording *recording, struct recording_growth *growth,
                      struct fault *fault);
