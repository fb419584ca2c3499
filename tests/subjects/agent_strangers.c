/* Peers of memoir agent that misbehave, N of each kind at once: say nothing, talk nonsense,
 * claim processes that are not there, never read what they are answered, want samples at a
 * thousand rates, leave in the middle.  Ends after SECONDS.  agent_strangers SOCKET N SECONDS */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "wire/agent.h"
#include "wire/agent_send.h"

static const char *path;

static int connect_agent(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void say(int fd, uint32_t kind, int pass)
{
    struct agent_request request = {.kind = kind, .version = AGENT_VERSION, .watch = 15};
    (void)agent_send(fd, &request, sizeof(request), pass, MSG_DONTWAIT);
}

static void silent(int fd)
{
    (void)fd;
}

static void nonsense(int fd)
{
    unsigned char bytes[3000];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)rand();
    say(fd, AGENT_HELLO, -1);
    for (int i = 0; i < 200; i++)
        (void)!send(fd, bytes, (size_t)rand() % sizeof(bytes), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void never_reads(int fd)
{
    say(fd, AGENT_HELLO, -1);
    for (int i = 0; i < 2000; i++)
        say(fd, AGENT_COUNTERS, -1);
}

static void claims_files(int fd)
{
    int nothing = open("/dev/null", O_RDONLY), first = (int)syscall(SYS_pidfd_open, 1, 0);
    say(fd, AGENT_HELLO, -1);
    for (int i = 0; i < 50; i++) {
        say(fd, AGENT_WATCH, nothing);
        say(fd, AGENT_WATCH, first);
        say(fd, AGENT_WATCH, -1);
    }
    close(nothing);
    close(first);
}

/* Watches itself, faults a lot and never reads its ring. */
static void never_drains(int fd)
{
    int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
    say(fd, AGENT_HELLO, -1);
    say(fd, AGENT_WATCH, self);
    close(self);
}

/* Wants to know of its time all too often, at ever other rates, and reads nothing of it. */
static void wants_time(int fd)
{
    int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
    say(fd, AGENT_HELLO, -1);
    for (int i = 0; i < 20; i++) {
        struct agent_request request = {.kind = AGENT_WATCH,
                                        .version = AGENT_VERSION,
                                        .watch = AGENT_WATCH_TIME,
                                        .hz = i % 4 ? (uint32_t)rand() % 1200 : (uint32_t)rand(),
                                        .wait_least_us = i % 3 ? 0 : (uint32_t)rand()};
        (void)agent_send(fd, &request, sizeof(request), self, MSG_DONTWAIT);
        say(fd, AGENT_TELL_WAITS, -1);
    }
    close(self);
}

static void (*const kinds[])(int fd) = {silent,       nonsense,     never_reads,
                                        claims_files, never_drains, wants_time};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    path = argv[1];
    unsigned const count = (unsigned)atoi(argv[2]) * KINDS;
    int *fds = calloc(count, sizeof(int));
    time_t const end = time(NULL) + atoi(argv[3]);
    memset(fds, -1, count * sizeof(int));
    for (unsigned round = 0; time(NULL) < end; round++) {
        for (unsigned i = 0; i < count; i++) {
            if (fds[i] >= 0 && round % 7 == i % 7) { /* leaves, whatever it was at */
                close(fds[i]);
                fds[i] = -1;
            }
            if (fds[i] < 0)
                fds[i] = connect_agent();
            if (fds[i] >= 0)
                kinds[i % KINDS](fds[i]);
        }
        volatile char *touched = malloc(1 << 22);
        for (size_t at = 0; touched && at < 1 << 22; at += 4096)
            touched[at] = 1;
        free((void *)touched);
        poll(NULL, 0, 20);
    }
    puts("done");
    return 0;
}
