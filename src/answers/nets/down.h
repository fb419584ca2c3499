/* down.h - ends a network, through its keeper or without it. */
#pragma once

#include "base/say.h"
#include "nets/net.h"

/* Ends the network, and returns when none of its processes is left.  *net is the state afterwards.
 * Returns 0 or -errno with a sentence. */
int net_bring_down(const char *dir, struct net *net, say_fn say, struct fault *fault);
/* Returns whether the keeper of the network is alive. */
bool net_is_kept(const struct net *net);
