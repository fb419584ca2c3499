/* SPDX-License-Identifier: Apache-2.0 */
/* debug_memory.c - a server that shows its own memory at /debug/memory, as `memoir map` would,
 * and names its cache.
 *
 *     cc -O2 debug_memory.c -lmemoir-memory -o debug-memory && ./debug-memory 6060
 *     curl http://127.0.0.1:6060/debug/memory?top=5
 *
 * It listens on this machine alone: the page is not for strangers. */
#include <arpa/inet.h>
#include <memoir.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define CACHE_BYTES ((size_t)24 << 20)

static int listen_here(unsigned short port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    int const yes = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
        listen(fd, 16) < 0) {
        perror("debug-memory");
        exit(1);
    }
    return fd;
}

static void say(int fd, const char *text)
{
    if (write(fd, text, strlen(text)) < 0)
        perror("debug-memory");
}

static void answer(int fd)
{
    char request[2048];
    ssize_t const got = read(fd, request, sizeof(request) - 1);
    request[got > 0 ? got : 0] = '\0';
    const char *top = strstr(request, "?top=");
    if (strncmp(request, "GET /debug/memory", 17) != 0) {
        say(fd, "HTTP/1.0 404 Not Found\r\n\r\nonly /debug/memory is here\n");
        return;
    }
    say(fd, "HTTP/1.0 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n");
    if (memoir_write_memory(fd, top ? (unsigned)strtoul(top + 5, NULL, 10) : 0, 0) < 0)
        perror("debug-memory");
}

int main(int argc, char **argv)
{
    int const server = listen_here((unsigned short)(argc > 1 ? strtoul(argv[1], NULL, 10) : 6060));
    char *cache =
        mmap(NULL, CACHE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (cache == MAP_FAILED)
        return 1;
    memset(cache, 1, CACHE_BYTES);
    memoir_region(cache, CACHE_BYTES, "page cache");
    puts("ready");
    fflush(stdout);
    for (;;) {
        int const client = accept(server, NULL, NULL);
        if (client < 0)
            continue;
        answer(client);
        close(client);
    }
}
