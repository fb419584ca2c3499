/* down.h - ends a network, by its keeper or without it. */
#pragma once

#include "base/say.h"
#include "nets/net.h"

/* Until no process of it is left.  *net is as it is afterwards.  Returns 0 or -errno with a
 * sentence. */
int net_bring_down(const char *dir, struct net *net, say_fn say, struct fault *fault);
/* Returns whether its keeper is alive. */
bool net_is_kept(const struct net *net);
