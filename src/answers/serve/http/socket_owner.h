/* socket_owner.h - who is at the other end of a connection.
 *
 * The kernel knows the user of each open socket of this machine, and tells it for one connection
 * (sock_diag).  Nothing that the client sends has a part in that.  A socket that its program has
 * closed already has no owner any more: the kernel would say root, and is not believed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct socket_owner {
    bool is_local; /* The address at the other end is one of loopback. */
    /* The other end is an open socket of this machine, of our own user or of root, who may see and
     * change everything of ours anyway. */
    bool is_own;
    /* Equal for all connections of one client: of a user of this machine, or of an address. */
    uint64_t client;
};

struct socket_owners;

/* Opens the way to ask the kernel.  NULL when the kernel does not tell whose a connection is, or
 * when out of memory.  The caller closes. */
struct socket_owners *socket_owners_open(void);
void socket_owners_close(struct socket_owners *owners); /* NULL is allowed. */

bool socket_owners_are_told(void); /* Whether the kernel tells whose a connection is. */

/* Finds who is at the other end of the TCP connection `fd`.  Without `owners`, nobody is our own.
 * Only one thread at a time may call this. */
struct socket_owner socket_owner_find(struct socket_owners *owners, int fd);
