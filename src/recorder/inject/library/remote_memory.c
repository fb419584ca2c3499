/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/library/remote_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "procfs/process/proc_open.h"

int remote_memory_open(struct remote_memory *memory, pid_t pid)
{
    memory->fd = proc_open((uint32_t)pid, 0, PROC_MEM_WRITE);
    return memory->fd < 0 ? memory->fd : 0;
}

void remote_memory_close(struct remote_memory *memory)
{
    if (memory->fd >= 0)
        close(memory->fd);
    memory->fd = -1;
}

bool remote_memory_is_gone(const struct remote_memory *memory)
{
    char byte;
    return pread(memory->fd, &byte, 1, 0) == 0; /* an error while there is memory, mapped or not */
}

bool remote_read(const struct remote_memory *memory, uint64_t address, void *to, size_t size)
{
    char *at = to;
    while (size > 0) {
        ssize_t got = pread(memory->fd, at, size, (off_t)address);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        address += (uint64_t)got;
        size -= (size_t)got;
    }
    return true;
}

bool remote_write(const struct remote_memory *memory, uint64_t address, const void *from,
                  size_t size)
{
    const char *at = from;
    while (size > 0) {
        ssize_t put = pwrite(memory->fd, at, size, (off_t)address);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += put;
        address += (uint64_t)put;
        size -= (size_t)put;
    }
    return true;
}

void remote_read_text(const struct remote_memory *memory, uint64_t address, char *text, size_t size)
{
    size_t at = 0;
    while (at + 1 < size && remote_read(memory, address + at, &text[at], 1) && text[at] != '\0')
        at++;
    text[at] = '\0';
}
