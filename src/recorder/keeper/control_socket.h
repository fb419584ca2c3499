/* control_socket.h - the socket by which another memoir sends requests to a recorder.
 *
 * It is in the abstract namespace: it is not on disk, and is gone with the recorder.  Any process
 * may take any name there, so no name is agreed upon: a name has the PID of the process and a
 * number that nobody can guess.  The asking side finds all names for a process in /proc/net/unix,
 * and the kernel says who owns the socket behind each name. */
#pragma once

#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include "base/vec.h"

/* Listens for requests about `pid`.  The kernel tells the asking side which process called this.
 * Returns a descriptor or -errno. */
int control_socket_listen(pid_t pid);

/* Finds the numbers in the names of all sockets that listen for requests about `pid`, or claim
 * to. */
struct control_names {
    VEC(uint64_t) numbers;
};
int control_names_find(pid_t pid, struct control_names *names);
void control_names_fini(struct control_names *names);

/* Fills in the address of such a name; returns its length. */
socklen_t control_socket_name(pid_t pid, uint64_t number, struct sockaddr_un *name);
