/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process_facts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads at most size - 1 bytes and ends them with NUL.  The bytes read, -1 when it cannot be
 * opened. */
static ssize_t read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t got = read(fd, text, size - 1);
    close(fd);
    text[got > 0 ? got : 0] = '\0';
    return got;
}

void process_thread_name(uint32_t pid, uint32_t tid, char *name, size_t size)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", pid, tid);
    name[0] = '\0';
    if (read_text(path, name, size) > 0)
        name[strcspn(name, "\n")] = '\0';
}

int64_t process_rss_bytes(uint32_t pid)
{
    char path[64], text[128];
    unsigned long long pages;
    snprintf(path, sizeof(path), "/proc/%u/statm", pid);
    if (read_text(path, text, sizeof(text)) <= 0 || sscanf(text, "%*u %llu", &pages) != 1 ||
        pages == 0)
        return -1;
    return (int64_t)pages * sysconf(_SC_PAGESIZE);
}

bool process_runs(uint32_t pid)
{
    char path[64], text[512];
    snprintf(path, sizeof(path), "/proc/%u/stat", pid);
    if (read_text(path, text, sizeof(text)) <= 0)
        return false;
    const char *after_name = strrchr(text, ')');
    char state = '\0';
    int threads = 0;
    if (!after_name || sscanf(after_name + 1,
                              " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                              "%*s %d",
                              &state, &threads) != 2)
        return false;
    /* The first thread may have ended before the others. */
    return (state != 'Z' && state != 'X') || threads > 1;
}

uint64_t process_oom_kills(void)
{
    char cgroup[4096], path[4200], text[1024];
    if (read_text("/proc/self/cgroup", cgroup, sizeof(cgroup)) <= 0)
        return 0;
    char *unified = strstr(cgroup, "0::");
    if (!unified)
        return 0;
    unified += 3;
    unified[strcspn(unified, "\n")] = '\0';
    snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.events", unified);
    if (read_text(path, text, sizeof(text)) <= 0)
        return 0;
    char *line = strstr(text, "oom_kill ");
    return line ? strtoull(line + 9, NULL, 10) : 0;
}
