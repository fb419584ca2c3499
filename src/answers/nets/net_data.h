/* net_data.h - what a network leaves in its folder. */
#pragma once

#include "nets/net.h"

/* Removes DIR/data, where the nodes have theirs. */
void net_remove_data(const struct net *net);
/* Logs of its parts; their pid files. */
void net_remove_logs(const struct net *net);
void net_remove_pids(const struct net *net);
