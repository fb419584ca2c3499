/* SPDX-License-Identifier: Apache-2.0 */
#include "keeper/control_socket.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"

#define WAITING_MAX 64 /* strangers wait there, too */
#define TRIES       100
#define NAMES_MAX   (1u << 20) /* a user who makes more takes the time of nobody else */
#define LISTENING   (1u << 16) /* the kernel's flag in /proc/net/unix */

socklen_t control_socket_name(pid_t pid, uint64_t number, struct sockaddr_un *name)
{
    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    int const size = snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1,
                              "memoir.%d.%016" PRIx64, (int)pid, number);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)size);
}

static int bind_name(int fd, pid_t pid)
{
    for (unsigned i = 0; i < TRIES; i++) {
        struct sockaddr_un name;
        uint64_t number;
        if (getrandom(&number, sizeof(number), 0) != sizeof(number))
            number = monotonic_ns();
        socklen_t const size = control_socket_name(pid, number, &name);
        if (bind(fd, (const struct sockaddr *)&name, size) == 0)
            return 0;
        if (errno != EADDRINUSE)
            return -errno;
    }
    return -EADDRINUSE;
}

int control_socket_listen(pid_t pid)
{
    int const fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    int err = bind_name(fd, pid);
    if (!err && listen(fd, WAITING_MAX) < 0)
        err = -errno;
    if (err)
        close(fd);
    return err ? err : fd;
}

/* Names may have any bytes in them, the ends of lines among them: what is found is only where to
 * ask.  A connection that a recorder accepted has the name of the socket that it came by, and is no
 * second recorder. */
static bool parse(const char *line, pid_t pid, uint64_t *number)
{
    char wanted[64];
    int const size = snprintf(wanted, sizeof(wanted), " @memoir.%d.", (int)pid);
    const char *name = strstr(line, wanted);
    if (!name)
        return false;
    const char *digits = name + size;
    unsigned flags = 0;
    *number = 0;
    /* NOLINTNEXTLINE(cert-err34-c): the kernel's number */
    return sscanf(line, "%*s %*x %*x %x", &flags) == 1 && (flags & LISTENING) &&
           strspn(digits, "0123456789abcdef") == 16 && strchr("\n", digits[16]) &&
           /* NOLINTNEXTLINE(cert-err34-c): 16 digits, as was just seen */
           sscanf(digits, "%16" SCNx64, number) == 1;
}

int control_names_find(pid_t pid, struct control_names *names)
{
    char line[512];
    uint64_t number;
    int err = 0;
    *names = (struct control_names){0};
    FILE *file = fopen("/proc/net/unix", "re");
    if (!file)
        return -errno;
    while (!err && names->numbers.count < NAMES_MAX && fgets(line, sizeof(line), file)) {
        if (parse(line, pid, &number) && !vec_push(&names->numbers, number))
            err = -ENOMEM;
    }
    fclose(file);
    if (err)
        control_names_fini(names);
    return err;
}

void control_names_fini(struct control_names *names)
{
    vec_free(&names->numbers);
}
