/* control_socket.h - the socket by which another memoir asks something of a recorder.
 *
 * It is in the abstract namespace: nothing on disk, gone with the recorder.  Anybody may take any
 * name there, so none is agreed upon: a name has the number of the process and one that nobody can
 * guess, whoever asks finds all names of a process in /proc/net/unix, and the kernel says whose the
 * socket behind each is. */
#pragma once

#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include "base/vec.h"

/* Listens for requests about `pid`: whoever calls this is who answers, as the kernel tells those
 * who ask.  A descriptor or -errno. */
int control_socket_listen(pid_t pid);

/* The numbers in the names of all that listen for requests about `pid`, or say so. */
struct control_names {
    VEC(uint64_t) numbers;
};
int control_names_find(pid_t pid, struct control_names *names);
void control_names_fini(struct control_names *names);

/* The address of such a name; its length. */
socklen_t control_socket_name(pid_t pid, uint64_t number, struct sockaddr_un *name);
