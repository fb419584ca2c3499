/* net_wait.h - waits for a network, and for signals meanwhile. */
#pragma once

#include <sys/types.h>

#include "nets/net.h"

/* From now on SIGINT and SIGTERM do not end this program: they end the waiting of the functions
 * below. */
void net_catch_signals(void);

/* Waits until the keeper reports that the network is up.  Returns 0 with *net; -EINTR after a
 * signal; or another -errno with the keeper's sentence. */
int net_wait_until_up(const char *dir, pid_t keeper, struct net *net, struct fault *fault);
/* Waits for `ns`, or until a signal comes, or until the keeper ends.  `keeper` 0: there is no
 * keeper. */
void net_wait_for(uint64_t ns, pid_t keeper);
