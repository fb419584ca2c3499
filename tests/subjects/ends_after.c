/* ends_after WAIT_MS REST_MS [GIVEN_BACK_MIB]: touches 8 MiB in early_8_mib; after WAIT_MS
 * touches and gives back what is asked, then touches 6 MiB in late_6_mib; ends REST_MS later. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "subject.h"

#define MIB  (1ul << 20)
#define PAGE 4096ul

static inline __attribute__((always_inline)) char *touch(unsigned long size)
{
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        _exit(1);
    madvise(memory, size, MADV_NOHUGEPAGE);
    for (unsigned long at = 0; at < size; at += PAGE)
        ((volatile char *)memory)[at] = 1;
    return memory;
}

NOINLINE void early_8_mib(void)
{
    touch(8 * MIB);
    KEEP_FRAME();
}

NOINLINE void late_6_mib(void)
{
    touch(6 * MIB);
    KEEP_FRAME();
}

NOINLINE void given_back(unsigned long size)
{
    munmap(touch(size), size);
    KEEP_FRAME();
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    early_8_mib();
    usleep((useconds_t)atoi(argv[1]) * 1000);
    if (argc > 3)
        given_back((unsigned long)atoi(argv[3]) * MIB);
    late_6_mib();
    usleep((useconds_t)atoi(argv[2]) * 1000);
    _exit(0);
}
