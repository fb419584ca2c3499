/* ports.h - finds free ports of 127.0.0.1. */
#pragma once

#include "nets/net.h"

/* Chooses a free port for every port of the network without a number, below the range that the
 * kernel uses for outgoing connections, and checks that given numbers are free.  Returns 0; or
 * -EADDRINUSE with a sentence that names the port and the node. */
int ports_choose(struct net *net, struct fault *fault);
