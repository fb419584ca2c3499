/* trial_run.h - tests `memoir run` by recording a small program, which is this program itself. */
#pragma once

#include "doctor/checkup.h"

/* Makes a recording in a temporary folder, reads it, and removes the folder.  A failure is part of
 * the returned trial. */
struct trial trial_run(void);
