/* SPDX-License-Identifier: Apache-2.0 */
/* finds_pointers RECORDER: how many words of what a recorder shares are addresses of its own: in
 * all but the tables that hold addresses of the program. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire/arena.h"

#define RANGES 4096

static struct range {
    unsigned long start, end;
} ranges[RANGES];
static size_t range_count;

/* All that the process has mapped but the shared memory itself, and what has no address of its
 * own. */
static void read_ranges(const char *pid)
{
    char path[64], line[1024];
    snprintf(path, sizeof(path), "/proc/%s/maps", pid);
    FILE *maps = fopen(path, "r");
    while (maps && range_count < RANGES && fgets(line, sizeof(line), maps)) {
        struct range *range = &ranges[range_count];
        if (sscanf(line, "%lx-%lx", &range->start, &range->end) == 2 &&
            !strstr(line, "/memfd:memoir") && !strstr(line, "[vsyscall]"))
            range_count++;
    }
    if (maps)
        fclose(maps);
}

static int open_arena(const char *pid)
{
    char path[64], link[64];
    for (int i = 3; i < 64; i++) {
        snprintf(path, sizeof(path), "/proc/%s/fd/%d", pid, i);
        ssize_t const got = readlink(path, link, sizeof(link) - 1);
        if (got > 0 && memmem(link, (size_t)got, "/memfd:memoir ", 14))
            return open(path, O_RDONLY);
    }
    return -1;
}

static bool is_ours(uint64_t word)
{
    for (size_t i = 0; i < range_count; i++)
        if (word >= ranges[i].start && word < ranges[i].end)
            return true;
    return false;
}

int main(int count, char **words)
{
    static uint64_t shared[ARENA_MODULES_AT / 8];
    unsigned found = 0, ranges_seen;
    if (count < 2)
        return 2;
    read_ranges(words[1]);
    ranges_seen = (unsigned)range_count;
    int const fd = open_arena(words[1]);
    if (fd < 0 || ranges_seen < 10 || pread(fd, shared, sizeof(shared), 0) != sizeof(shared) ||
        shared[0] != ARENA_MAGIC)
        return 1;
    for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
        found += is_ours(shared[i]);
    printf("%u pointers\n", found);
    return 0;
}
