/* faults.c - touches fresh pages under so many frames, and says how long one fault took.  faults
 * ROUNDS FRAMES [MIB] */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static __attribute__((noinline)) void touch(volatile char *memory, size_t size)
{
    for (size_t at = 0; at < size; at += 4096)
        memory[at] = 1;
}

static __attribute__((noinline)) void descend(int frames, char *memory, size_t size)
{
    if (frames <= 0)
        touch(memory, size);
    else
        descend(frames - 1, memory, size);
    __asm__ volatile("" ::: "memory"); /* no tail call */
}

int main(int argc, char **argv)
{
    int const rounds = argc > 1 ? atoi(argv[1]) : 5, frames = argc > 2 ? atoi(argv[2]) : 20;
    size_t const size = (size_t)(argc > 3 ? atoi(argv[3]) : 128) << 20;
    for (int i = 0; i < rounds; i++) {
        char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return 1;
        madvise(memory, size, MADV_NOHUGEPAGE);
        double const began = now_ns();
        descend(frames - 4, memory, size); /* with main, _start and two of libc's */
        printf("%.0f\n", (now_ns() - began) / (double)(size / 4096));
        munmap(memory, size);
    }
    return 0;
}
