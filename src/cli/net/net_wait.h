/* net_wait.h - waiting for a network, with one eye on the terminal. */
#pragma once

#include <sys/types.h>

#include "nets/net.h"

/* From here on SIGINT and SIGTERM end the waits below instead of this program. */
void net_catch_signals(void);

/* Until the keeper says that the network is up.  0 with *net; -EINTR after a signal; else -errno
 * with the keeper's sentence. */
int net_wait_until_up(const char *dir, pid_t keeper, struct net *net, struct fault *fault);
/* That long, or until a signal comes or the keeper ends; 0 for none. */
void net_wait_for(uint64_t ns, pid_t keeper);
