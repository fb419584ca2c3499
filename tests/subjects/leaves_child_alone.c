/* SPDX-License-Identifier: Apache-2.0 */
/* Forks a child that, before it allocates anything, looks which shared memory it has from its
 * parent; prints "N writable", the number of shared mappings of memory files that it can write
 * to. */
#include "subject.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static char maps[1 << 20];

static int count_writable(void)
{
    int fd = open("/proc/self/maps", O_RDONLY), count = 0;
    size_t size = 0;
    ssize_t got;
    while (size < sizeof(maps) - 1 && (got = read(fd, maps + size, sizeof(maps) - 1 - size)) > 0)
        size += (size_t)got;
    close(fd);
    for (char *line = strtok(maps, "\n"); line; line = strtok(NULL, "\n")) {
        const char *rights = strchr(line, ' ');
        count += strstr(line, "memfd:") && rights && rights[2] == 'w' && rights[4] == 's';
    }
    return count;
}

int main(void)
{
    void *volatile block = malloc(100);
    pid_t child = fork();
    if (child == 0)
        _exit(count_writable());
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 1;
    printf("%d writable\n", WEXITSTATUS(status));
    free(block);
    return 0;
}
