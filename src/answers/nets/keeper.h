/* keeper.h - the process that keeps a network: starts its parts in order, sees when they are
 * ready, notices when one ends, and ends them all.
 *
 * It runs in the background until SIGTERM, tells everything in DIR/net.json, and adopts what its
 * children leave behind. */
#pragma once

#include "base/say.h"
#include "nets/net.h"

/* Keeps the network of this folder until it is told to stop or it cannot come up.  What goes
 * wrong is said, too.  What to exit with. */
int keeper_run(const char *dir, say_fn say);
/* Ends a network whose keeper was killed, as the keeper would have.  Returns 0 or -errno with a
 * sentence. */
int keeper_end(const char *dir, say_fn say, struct fault *fault);
