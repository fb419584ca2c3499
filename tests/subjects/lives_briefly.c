/* Touches 8 MiB at once, in early_8_mib, and is over 20 ms later. */
#include <sys/mman.h>
#include <unistd.h>

#include "subject.h"

#define SIZE (8ul << 20)
#define PAGE 4096ul

NOINLINE void early_8_mib(void)
{
    char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        _exit(1);
    madvise(memory, SIZE, MADV_NOHUGEPAGE);
    for (unsigned long at = 0; at < SIZE; at += PAGE)
        ((volatile char *)memory)[at] = 1;
    KEEP_FRAME();
}

int main(void)
{
    early_8_mib();
    usleep(20000);
    return 0;
}
