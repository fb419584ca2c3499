/* ports.h - free ports of 127.0.0.1. */
#pragma once

#include "nets/net.h"

/* Gives every port of the network without a number a free one, below those the kernel gives to
 * connections of others, and tests that the numbers given are free.  Returns 0 or -EADDRINUSE with
 * a sentence that names the port and the node. */
int ports_choose(struct net *net, struct fault *fault);
