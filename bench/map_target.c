/* SPDX-License-Identifier: Apache-2.0 */
/* map_target MIB - a process with so much resident in small pages, which counts how long its
 * mmap and munmap take.
 *
 * Prints "ready".  On each line of input it prints the median, the 99th percentile and the
 * longest of the pairs since the line before, in microseconds; at the end of input it ends. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define SAMPLES (1u << 20)
static float samples[SAMPLES];
static atomic_uint count;

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void *work(void *unused)
{
    struct timespec const rest = {.tv_nsec = 200000};
    for (;;) {
        double const begin = now_us();
        munmap(mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
               65536);
        unsigned const at = atomic_load(&count);
        if (at < SAMPLES) {
            samples[at] = (float)(now_us() - begin);
            atomic_store(&count, at + 1);
        }
        nanosleep(&rest, NULL);
    }
    return unused;
}

static int by_value(const void *left, const void *right)
{
    float const a = *(const float *)left, b = *(const float *)right;
    return a < b ? -1 : a > b;
}

int main(int argc, char **argv)
{
    size_t const size = (size_t)(argc > 1 ? atol(argv[1]) : 64) << 20;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
         line[64];
    pthread_t thread;
    madvise(memory, size, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < size; at += 4096)
        memory[at] = 1;
    pthread_create(&thread, NULL, work, NULL);
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin)) {
        unsigned const taken = atomic_load(&count);
        qsort(samples, taken, sizeof(samples[0]), by_value);
        if (taken == 0)
            puts("0 0 0");
        else
            printf("%.0f %.0f %.0f\n", (double)samples[taken / 2],
                   (double)samples[taken * 99ul / 100], (double)samples[taken - 1]);
        fflush(stdout);
        atomic_store(&count, 0);
    }
    return 0;
}
