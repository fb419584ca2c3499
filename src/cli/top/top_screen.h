/* top_screen.h - `memoir top` on a terminal. */
#pragma once

#include "cli/top/top_keys.h"
#include "cli/top/top_source.h"

/* Shows the source until the user quits; looks for changes every `every_ns`.  Returns 0 or -errno
 * with a sentence.  Restores the terminal, also after a signal that ends the program. */
int top_screen_run(struct top_source *source, struct top_choice *choice, uint64_t every_ns,
                   struct fault *fault);
