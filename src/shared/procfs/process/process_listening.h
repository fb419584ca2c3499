/* process_listening.h - which process listens on a TCP port of this machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/vec.h"

typedef VEC(uint64_t) socket_list;

/* Adds the inodes of sockets that listen on `port`, from the text of /proc/net/tcp or tcp6.
 * Returns false when out of memory. */
bool listening_sockets_parse(struct slice text, uint16_t port, socket_list *sockets);
/* Finds such sockets of this network namespace.  Returns 0 or -errno. */
int listening_sockets_read(uint16_t port, socket_list *sockets);

/* Returns whether the process has one of the sockets open. */
bool process_has_socket(uint32_t pid, const socket_list *sockets);
/* Returns the process that has one of the sockets open; of several, which are its forks, the
 * oldest.  Returns 0 if there is none, or none that we may look at. */
uint32_t process_of_sockets(const socket_list *sockets);
