/* net_data.h - what a network leaves in its folder. */
#pragma once

#include "nets/net.h"

/* Removes DIR/data, where the nodes have theirs. */
void net_remove_data(const struct net *net);
/* And logs of its parts. */
void net_remove_logs(const struct net *net);
