/* process_listening.h - which process listens on a TCP port of this machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/vec.h"

typedef VEC(uint64_t) socket_list;

/* Adds the inodes of listening sockets at `port` from the text of /proc/net/tcp or tcp6.  False
 * when out of memory. */
bool listening_sockets_parse(struct slice text, uint16_t port, socket_list *sockets);
/* Those of this network namespace.  0 or -errno. */
int listening_sockets_read(uint16_t port, socket_list *sockets);

/* Whether one of the sockets is a descriptor of the process. */
bool process_has_socket(uint32_t pid, const socket_list *sockets);
/* The process that has one of them; the oldest of several, which are forks of it.  0: none, or
 * none that we may look at. */
uint32_t process_of_sockets(const socket_list *sockets);
