/* trial_run.h - whether `memoir run` works, by letting it record a small program: this one. */
#pragma once

#include "doctor/checkup.h"

/* Records and reads back in a temporary folder, which is gone afterwards.  Never fails: that it did
 * not work is the answer. */
struct trial trial_run(void);
