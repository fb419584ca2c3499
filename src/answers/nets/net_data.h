/* net_data.h - removes what a network leaves in its folder. */
#pragma once

#include "nets/net.h"

/* Removes DIR/data, which has the data of the nodes. */
void net_remove_data(const struct net *net);
/* Remove the logs of the parts; the PID files of the parts. */
void net_remove_logs(const struct net *net);
void net_remove_pids(const struct net *net);
