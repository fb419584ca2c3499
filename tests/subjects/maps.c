/* SPDX-License-Identifier: Apache-2.0 */
/* Maps memory without malloc.  map_here: 10 MiB, of which 4 are unmapped; grow_map_here: 1 MiB made
 * 3 by mremap; break_here: 64 KiB by sbrk, of which 16 go back. */
#include "subject.h"

#include <sys/mman.h>

#define MIB (1 << 20)

static NOINLINE char *map_here(size_t bytes)
{
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    KEEP_FRAME();
    return at;
}

static NOINLINE char *grow_map_here(char *at)
{
    at = mremap(at, MIB, 3 * MIB, MREMAP_MAYMOVE);
    KEEP_FRAME();
    return at;
}

static NOINLINE void *break_here(long change)
{
    void *at = sbrk(change);
    KEEP_FRAME();
    return at;
}

static NOINLINE char *first_map_here(void)
{
    char *at = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    KEEP_FRAME();
    return at;
}

int main(void)
{
    char *at = map_here(10 * MIB);
    if (at == MAP_FAILED || munmap(at + 2 * MIB, 4 * MIB) != 0) /* out of the middle */
        return 1;
    char *other = first_map_here();
    if (other == MAP_FAILED || grow_map_here(other) == MAP_FAILED)
        return 1;
    if (mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
        return 1; /* a failed call changes nothing */
    if (break_here(64 << 10) == (void *)-1 || break_here(-(16 << 10)) == (void *)-1)
        return 1;
    at[0] = 1;
    return 0;
}
