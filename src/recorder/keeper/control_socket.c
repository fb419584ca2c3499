/* SPDX-License-Identifier: Apache-2.0 */
#include "keeper/control_socket.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

socklen_t control_socket_name(pid_t pid, struct sockaddr_un *name)
{
    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    int const size =
        snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1, "memoir.%d", (int)pid);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)size);
}

int control_socket_listen(pid_t pid)
{
    struct sockaddr_un name;
    socklen_t const size = control_socket_name(pid, &name);
    int const fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    if (bind(fd, (const struct sockaddr *)&name, size) == 0 && listen(fd, CONTROL_PEERS_MAX) == 0)
        return fd;
    int const err = -errno;
    close(fd);
    return err;
}
