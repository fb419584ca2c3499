/* SPDX-License-Identifier: Apache-2.0 */
/* held BLOCKS SECONDS: a heap of so many blocks of 240 bytes, of which random ones are freed and
 * allocated again for a while. Prints the pairs per second. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIZE 240

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    unsigned long count = strtoul(argv[1], NULL, 10), pairs = 0;
    double seconds = strtod(argv[2], NULL);
    void **blocks = malloc(count * sizeof(void *));
    unsigned random = 1;
    for (unsigned long i = 0; i < count; i++)
        memset(blocks[i] = malloc(SIZE), 1, SIZE);
    double begin = now(), end = begin;
    while (end - begin < seconds) {
        for (int i = 0; i < 1000; i++, pairs++) {
            random = random * 1664525u + 1013904223u;
            free(blocks[random % count]);
            blocks[random % count] = malloc(SIZE);
        }
        end = now();
    }
    printf("%.0f\n", (double)pairs / (end - begin));
    return 0;
}
