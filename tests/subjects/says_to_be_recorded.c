/* SPDX-License-Identifier: Apache-2.0 */
/* Has something that looks like memoir's arena, in which it says that process 1 records it.
 * Prints "ready", ends when its input does. */
#include "subject.h"

#include <sys/mman.h>

#include "wire/arena.h"

int main(void)
{
    int fd = memfd_create("memoir", 0);
    if (fd < 0 || ftruncate(fd, (off_t)ARENA_BYTES) < 0)
        return 1;
    char *arena = mmap(NULL, ARENA_PROCESSES_AT, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), byte;
    if (arena == MAP_FAILED)
        return 1;
    struct arena_header *header = (struct arena_header *)arena;
    header->version = ARENA_VERSION;
    header->size = ARENA_BYTES;
    header->lock_offset = ARENA_LOCK_AT;
    header->recorder_pid = 1;
    *(uint32_t *)(arena + ARENA_LOCK_AT) = 1; /* somebody lives */
    header->magic = ARENA_MAGIC;
    puts("ready");
    fflush(stdout);
    while (read(0, &byte, 1) > 0)
        ;
    return 0;
}
