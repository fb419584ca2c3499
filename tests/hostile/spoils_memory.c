/* SPDX-License-Identifier: Apache-2.0 */
/* spoils_memory: takes the shared memory away from under the recorder: makes it shorter, seals it,
 * gives pages back, maps other things there, and writes over the word that says that the recorder
 * lives.  Prints what the kernel refuses. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hostile.h"

/* The file itself, by any way that there is. */
static int open_file(struct arena_header *arena)
{
    char path[128];
    unsigned long const from = (unsigned long)arena;
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long start, end;
    char line[512];
    int fd = -1;
    while (maps && fd < 0 && fgets(line, sizeof(line), maps)) {
        if (sscanf(line, "%lx-%lx", &start, &end) != 2 || start != from)
            continue;
        snprintf(path, sizeof(path), "/proc/self/map_files/%lx-%lx", start, end);
        fd = open(path, O_RDWR);
    }
    if (maps)
        fclose(maps);
    snprintf(path, sizeof(path), "/proc/%u/fd", arena->recorder_pid);
    for (int i = 3; fd < 0 && i < 40; i++) {
        snprintf(path, sizeof(path), "/proc/%u/fd/%d", arena->recorder_pid, i);
        char link[64] = "";
        if (readlink(path, link, sizeof(link) - 1) > 0 && strstr(link, "memfd:memoir"))
            fd = open(path, O_RDWR);
    }
    return fd;
}

static void say(const char *what, int result)
{
    printf("%s %s\n", what, result < 0 ? "refused" : "done");
}

int main(void)
{
    struct arena_header *arena = hostile_begin();
    _Atomic uint32_t *lock = (_Atomic uint32_t *)((char *)arena + ARENA_LOCK_AT);
    int const fd = open_file(arena);
    if (fd >= 0) {
        say("shorter", ftruncate(fd, 4096));
        say("longer", ftruncate(fd, (off_t)ARENA_BYTES * 2));
        say("sealed", fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_FUTURE_WRITE));
    } else {
        printf("shorter refused\nlonger refused\nsealed refused\n"); /* not even opened */
    }
    memset((char *)lock + 8, 0x41, 4096 - 8); /* where a mutex would have its list */
    atomic_store(lock, FUTEX_OWNER_DIED | FUTEX_WAITERS | 1);
    usleep(100000);
    (void)!madvise((char *)arena + ARENA_TAGS_AT, ARENA_SLOTS_AT - ARENA_TAGS_AT, MADV_REMOVE);
    (void)!madvise((char *)arena + ARENA_SLOTS_AT, 4 * SLOT_STRIDE, MADV_REMOVE);
    usleep(300000);
    (void)!madvise(arena, 4096, MADV_REMOVE);
    usleep(300000);
    fflush(stdout);
    _exit(0);
}
