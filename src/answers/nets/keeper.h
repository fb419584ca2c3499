/* keeper.h - the keeper is the process that starts the parts of a network in order, sees when they
 * are ready, notices when one ends, and ends all of them.
 *
 * It runs in the background until SIGTERM, writes its state to DIR/net.json, and adopts orphaned
 * descendants of the parts. */
#pragma once

#include "base/say.h"
#include "nets/net.h"

/* Keeps the network of this folder until a signal, or until the network cannot start.  Calls `say`
 * for errors, too.  Returns the exit status. */
int keeper_run(const char *dir, say_fn say);
/* Ends a network whose keeper was killed, like the keeper would.  Returns 0 or -errno with a
 * sentence. */
int keeper_end(const char *dir, say_fn say, struct fault *fault);
