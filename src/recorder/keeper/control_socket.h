/* control_socket.h - the socket by which another memoir asks something of a recorder: one per
 * process that is recorded, found by its number. */
#pragma once

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#define CONTROL_PEERS_MAX 4

/* Its name. */
socklen_t control_socket_name(pid_t pid, struct sockaddr_un *name);

/* Listens there: whoever calls this is who answers, as the kernel tells those who ask.  A
 * descriptor or -errno. */
int control_socket_listen(pid_t pid);
